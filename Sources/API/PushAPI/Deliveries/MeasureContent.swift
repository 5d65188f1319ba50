internal import PushConfig
package import PushModel
internal import PushPayload
internal import PushStore
internal import PushWire

/// Renders the content of a delivery that is still being written, with sample values in place of subscribers'
/// values, and lists everything for which ``SubmitDelivery`` would refuse the content. Reads no subscriber,
/// so it is fast enough to follow a person who types.
package struct MeasureContent: ShortOperation {
    package static let name = "delivery.measure"

    /// A delivery document in JSON, with or without a target.
    package var document: [UInt8]
    /// The language of the device, such as `de`; empty for the main content.
    package var language: String

    package init(document: [UInt8], language: String = "") {
        (self.document, self.language) = (document, language)
    }

    /// The maximum number of parameters of a text that get sample values.
    private static let maxSamples = 100

    package func perform(in operations: Operations) throws -> MeasuredContent {
        let document: DeliveryDocument
        let checked: DeliveryIntake.CheckedOrder
        do {
            document = try SubmitDelivery(document: self.document, documentName: "")
                .parsedForOthers(in: operations)
            checked = try DeliveryIntake(operations, documentName: "").order(document, target: .all)
        } catch let error as StoreError {
            throw error
        } catch {
            return MeasuredContent(fault: OperationError(error))
        }
        let (begin, end) = checked.order.schedule.window(at: operations.clock.moment().time)
        let apps = try checked.apps.map { app in
            let preview = try PayloadPreview(
                of: document.content, tracking: document.tracking, for: app, from: begin, expiresAt: end,
                operations.settings.nmac)
            return sample(of: preview, for: app)
        }
        return MeasuredContent(apps: apps, warnings: checked.warnings)
    }

    private func sample(of preview: PayloadPreview, for app: App) -> MeasuredContent.OfApp {
        let isApple = app.settings.platform == .ios
        let token = [UInt8](repeating: UInt8(ascii: "0"), count: isApple ? 64 : 152)
        var samples: [JSONMember] = []
        var result = MeasuredContent.OfApp(
            app: app.name, platform: app.settings.platform, isPersonalised: preview.isPersonalised)
        while samples.count < Self.maxSamples {
            var values: [UInt8] = []
            JSONValue.object(samples).append(to: &values)
            let filling = MessageFilling.bytes(language: language, parameters: samples.isEmpty ? [] : values)
            switch preview.rendered(token: token, filling: filling) {
            case .payload(let bytes):
                result.message = preview.view(of: bytes, token: token, filling: filling)
                result.isShortened = preview.isShortened(token: token, filling: filling)
                return result
            case .tooLarge(let bytes):
                result.excessBytes = bytes
                return result
            case .missing(let placeholder):
                guard Self.addSample(for: placeholder, to: &samples) else { return result }
            }
        }
        return result
    }

    /// Adds a sample value for a placeholder: the parameter's name and, if its format does not accept a text,
    /// a number or a date.
    /// - Parameter placeholder: The name of a parameter, possibly with its format, such as `price:number(2)`.
    /// - Returns: `false` if the placeholder accepts no sample.
    private static func addSample(for placeholder: String, to samples: inout [JSONMember]) -> Bool {
        let name = placeholder.split(separator: ":", maxSplits: 1).first.map(String.init) ?? placeholder
        let values = [name, "1234.5", "2026-11-21"].map { JSONValue.string($0) }
        guard let place = samples.firstIndex(where: { $0.key == name }) else {
            samples.append(JSONMember(key: name, value: values[0]))
            return true
        }
        guard let tried = values.firstIndex(of: samples[place].value), tried + 1 < values.count else {
            return false
        }
        samples[place] = JSONMember(key: name, value: values[tried + 1])
        return true
    }
}

/// The samples of a content for each app, and what is wrong with the content.
package struct MeasuredContent: Sendable {
    package struct OfApp: Sendable {
        package var app: String
        package var platform: Platform
        /// Whether the size differs between subscribers, because texts contain their values.
        package var isPersonalised: Bool
        /// The message with sample values; `nil` if none can be created.
        package var message: PayloadView?
        package var isShortened = false
        /// The size of a message that is too large; `nil` if it is not too large.
        package var excessBytes: Int?
    }

    package var apps: [OfApp] = []
    package var warnings: [String] = []
    /// Why a submission would be refused; `nil` if it would not be.
    package var fault: OperationError?
}
