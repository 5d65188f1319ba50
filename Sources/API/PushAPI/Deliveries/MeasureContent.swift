internal import PushConfig
package import PushModel
internal import PushPayload
internal import PushStore
internal import PushWire

/// Renders the content of a delivery that is still being written, with the values of one person or with
/// sample values, and lists everything for which ``SubmitDelivery`` would refuse the document without
/// counting its target. Reads the devices of at most one person, so it is fast enough to follow a person who
/// types.
package struct MeasureContent: ShortOperation {
    package static let name = "delivery.measure"

    /// A delivery document in JSON, with or without a target.
    package var document: [UInt8]
    /// The languages of the devices for which messages are rendered, such as `de`; empty for the main
    /// content. Without any, no messages are rendered; the faults and warnings are the same.
    package var languages: [String]
    /// The person whose values fill the texts; `nil` takes sample values. Sample values also stand for those
    /// that the person does not have.
    package var userKey: String?
    /// The sample value of a parameter whose name suggests none.
    package var anyValue = "Sample"

    package init(document: [UInt8], languages: [String] = [""], userKey: String? = nil) {
        (self.document, self.languages, self.userKey) = (document, languages, userKey)
    }

    /// The maximum number of parameters of a text that get sample values.
    private static let maxSamples = 100
    /// The maximum number of a person's apps for which messages are rendered.
    private static let maxAppsOfPerson = 20

    package func perform(in operations: Operations) throws -> MeasuredContent {
        let document: DeliveryDocument
        let checked: DeliveryIntake.CheckedOrder
        do {
            document = try SubmitDelivery(document: self.document, documentName: "")
                .parsedForOthers(in: operations)
            checked = try DeliveryIntake(operations, documentName: "").order(
                document, target: document.target == nil ? .all : nil)
        } catch let error as StoreError {
            throw error
        } catch {
            return MeasuredContent(fault: OperationError(error))
        }
        guard !languages.isEmpty else { return MeasuredContent(warnings: checked.warnings) }
        let (begin, end) = checked.order.schedule.window(at: operations.clock.moment().time)
        let devices = try devices(of: checked.apps, in: operations)
        let shown = shown(checked.apps, devices)
        let any = shown.lazy.compactMap { devices[$0.id] }.first
        let apps = try shown.map { app in
            let preview = try PayloadPreview(
                of: document.content, tracking: document.tracking, for: app, from: begin, expiresAt: end,
                operations.settings.nmac)
            return languages.map { language in
                (language, sample(of: preview, in: language, for: app, with: devices[app.id], or: any))
            }
        }
        let samples = Dictionary(grouping: apps.joined(), by: \.0).mapValues { $0.map(\.1) }
        return MeasuredContent(samples: samples, warnings: checked.warnings)
    }

    /// Returns the person's first device of each app.
    private func devices(
        of apps: [App], in operations: Operations
    ) throws -> [AppID: SubscriberFacts] {
        guard let userKey, !userKey.isEmpty else { return [:] }
        let found = try SubscriberName.userKey(userKey).found(
            of: apps.map(Catalogue.AppName.init), in: operations)
        return Dictionary(found.map { ($0.app, $0) }) { first, _ in first }
    }

    /// Returns the apps for which messages are rendered: the person's and, for each other platform, the
    /// first app.
    private func shown(_ apps: [App], _ devices: [AppID: SubscriberFacts]) -> [App] {
        let ofPerson = apps.filter { devices[$0.id] != nil }.prefix(Self.maxAppsOfPerson)
        return Platform.allCases.flatMap { platform -> [App] in
            let known = ofPerson.filter { $0.settings.platform == platform }
            return known.isEmpty ? Array(apps.filter { $0.settings.platform == platform }.prefix(1)) : known
        }
    }

    /// - Parameters:
    ///   - device: The person's device; `nil` if the person has none of this app.
    ///   - other: A device of the person whose values stand for those of a device of this app; `nil` if all
    ///     values are sample values.
    private func sample(
        of preview: PayloadPreview, in language: String, for app: App, with device: SubscriberFacts?,
        or other: SubscriberFacts?
    ) -> MeasuredContent.OfApp {
        let isApple = app.settings.platform == .ios
        let token = [UInt8](repeating: UInt8(ascii: "0"), count: isApple ? 64 : 152)
        var samples: [JSONMember] = []
        var result = MeasuredContent.OfApp(
            app: app.name, platform: app.settings.platform, isPersonalised: preview.isPersonalised)
        result.deviceLanguage = device?.device.language
        let known = CollectedFact.known(besides: app.settings.parameters)
        let person = device ?? other
        let facts = person.map { MessageFilling.object(known, of: $0.collected) } ?? []
        while samples.count < Self.maxSamples {
            var values: [UInt8] = []
            JSONValue.object(samples).append(to: &values)
            let filling = MessageFilling.bytes(
                language: language, parameters: Array((person?.parametersJSON ?? "").utf8), facts: facts,
                variables: samples.isEmpty ? [] : values)
            switch preview.rendered(token: token, filling: filling) {
            case .payload(let bytes):
                result.message = preview.view(of: bytes, token: token, filling: filling)
                result.isShortened = preview.isShortened(token: token, filling: filling)
                return result
            case .tooLarge(let bytes):
                result.excessBytes = bytes
                return result
            case .missing(let placeholder):
                if device != nil, !result.missing.contains(placeholder) { result.missing.append(placeholder) }
                guard addSample(for: placeholder, of: app, to: &samples) else { return result }
            }
        }
        return result
    }

    /// Adds a sample value for a placeholder: a text and, if its format does not accept a text, a number or a
    /// date.
    /// - Parameter placeholder: The name of a parameter, possibly with its format, such as `price:number(2)`.
    /// - Returns: `false` if the placeholder accepts no sample.
    private func addSample(for placeholder: String, of app: App, to samples: inout [JSONMember]) -> Bool {
        let name = placeholder.split(separator: ":", maxSplits: 1).first.map(String.init) ?? placeholder
        let kind = app.settings.parameters.first { $0.name == name }?.kind
        let values = [sample(named: name, kind), "1234.5", "2026-11-21"].map { JSONValue.string($0) }
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

    /// Returns a value as a person could have it.
    private func sample(named name: String, _ kind: ParameterDeclaration.Kind?) -> String {
        switch kind {
        case .number: return "3"
        case .date: return "2026-11-21"
        case .boolean: return "true"
        case .text, nil: break
        }
        let letters = name.lowercased().filter(\.isLetter)
        return Self.samples.first { $0.names.contains(letters) }?.value ?? anyValue
    }

    /// Values for the usual names of parameters.
    private static let samples: [(names: Set<String>, value: String)] = [
        (["firstname", "forename", "givenname", "vorname", "prenom", "name"], "Anna"),
        (["lastname", "surname", "familyname", "nachname", "nom"], "Meyer"),
        (["city", "town", "stadt", "ort", "ville"], "Paris"),
        (["country", "land", "pays"], "France"),
        (["userkey"], "user-1"),
    ]
}

/// Samples of a content for the person's apps and for at least one app of each platform, and what is wrong
/// with the content.
package struct MeasuredContent: Sendable {
    package struct OfApp: Sendable {
        package var app: String
        package var platform: Platform
        /// Whether the size differs between subscribers, because texts contain their values.
        package var isPersonalised: Bool
        /// The language of the person's device, as it reported it; `nil` if the person has no device of the
        /// app.
        package var deviceLanguage: String?
        /// The placeholders for which the person has no value, so that the person would get no message.
        package var missing: [String] = []
        /// The message; `nil` if none can be created.
        package var message: PayloadView?
        package var isShortened = false
        /// The size of a message that is too large; `nil` if it is not too large.
        package var excessBytes: Int?
    }

    /// The samples of each language that was asked for.
    package var samples: [String: [OfApp]] = [:]
    package var warnings: [String] = []
    /// Why a submission would be refused; `nil` if it would not be.
    package var fault: OperationError?
}
