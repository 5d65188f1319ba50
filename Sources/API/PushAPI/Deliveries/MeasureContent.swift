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

    /// The maximum number of different values that a text can have here.
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
                let sample = Self.sample(for: placeholder)
                guard !samples.contains(where: { $0.key == sample.key }) else { return result }
                samples.append(sample)
            }
        }
        return result
    }

    /// - Parameter placeholder: A parameter's name, possibly with its format, such as `price:number(2)`.
    private static func sample(for placeholder: String) -> JSONMember {
        let parts = placeholder.split(separator: ":", maxSplits: 1)
        let name = parts.first.map(String.init) ?? placeholder
        let format = parts.count > 1 ? parts[1] : ""
        let value = format.hasPrefix("number") ? "1234.5" : format.hasPrefix("date") ? "2026-11-21" : name
        return JSONMember(key: name, value: .string(value))
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
