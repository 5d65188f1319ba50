package import PushModel

/// The document that an operator or an API client submits to send a delivery. It still contains names, not
/// ids.
///
/// **Promises.** A document is read completely or not at all. Its reader lists every fault: unknown keys by
/// name, and invalid values by path, with the value found and the values allowed. No fault contains a token,
/// a user key or a part of the content.
package struct DeliveryDocument: Equatable, Sendable {
    package var label = ""
    /// The name of a service.
    package var service = ""
    /// The template from which the rest of the document was created; `nil` if there is none.
    package var template: TemplateReference?
    /// Names of apps, without duplicates. If there are none, the document is for the apps of the service in
    /// ``environments``.
    package var apps: [String] = []
    /// The environments, without duplicates. If the document names none, it is for the environments of its
    /// apps, or for production if it lists no apps.
    package var environments: [PushEnvironment] = []
    /// The target; `nil` if the caller stated that the target comes from elsewhere.
    package var target: Target?
    /// The restrictions on recipients that come from elsewhere.
    package var refinement = TargetRefinement()
    /// Whether a target that matches no recipients is accepted like any other.
    package var allowsEmptyTarget = false
    /// Whether the delivery includes devices that have reached the service's frequency cap.
    package var ignoresFrequencyCap = false
    package var content = Content()
    package var schedule = DeliverySchedule()
    package var retry = RetryOverride()
    package var tracking = true

    /// Reports whether a document chooses its recipients, as opposed to only leaving out some of those that
    /// come from elsewhere.
    package static func choosesRecipients(_ document: JSONValue) -> Bool {
        Target.isChosen(in: document)
    }

    /// Maximum size, in bytes. A larger document is refused before it is parsed.
    package static let maximumBytes = 1 << 20

    /// The source of the target.
    package enum TargetSource: Sendable {
        case document
        /// The target comes from elsewhere, such as a file of user keys. The document must not choose
        /// recipients.
        case elsewhere
    }

    /// - Parameter contents: Reads the document's content.
    /// - Throws: ``WireError/document(_:)``
    package static func parse(
        _ bytes: [UInt8], contents: ContentDocument, target source: TargetSource = .document
    ) throws(WireError) -> DeliveryDocument {
        try read(try value(of: bytes), contents: contents, target: source)
    }

    /// Returns the JSON of a document, before any of it is examined.
    /// - Throws: ``WireError/document(_:)``
    package static func value(of bytes: [UInt8]) throws(WireError) -> JSONValue {
        try JSONParser.document(
            bytes, atMost: maximumBytes,
            else: "the maximum is \(maximumBytes); for a long list of recipients, use a file of user keys")
    }

    /// - Parameters:
    ///   - value: The document, already merged with the template that it names (``TemplateMerge``).
    ///   - contents: Reads the document's content.
    /// - Throws: ``WireError/document(_:)``
    package static func read(
        _ value: JSONValue, contents: ContentDocument, target source: TargetSource = .document
    ) throws(WireError) -> DeliveryDocument {
        try fields(contents).document(value, target: source)
    }

    package static func schema(_ contents: ContentDocument) -> Schema { fields(contents).schema }
    /// Returns the schema of a document whose recipients are given separately.
    package static func schemaWithoutTarget(_ contents: ContentDocument) -> Schema {
        .component("UntargetedDelivery") {
            .object(
                all(contents).map(\.member).map { member in
                    Schema.Member(
                        member.name, member.schema, isRequired: member.isRequired && member.name != "target",
                        about: member.about)
                })
        }
    }

    /// The smallest targets, as errors show them.
    package static let smallestTarget =
        #"{"userKeys": ["anna@example.com"]}, or {"all": true} for all subscribers"#

    /// Returns the schema of changes to a document, in which no member is required.
    package static func schemaOfChanges(_ contents: ContentDocument) -> Schema {
        .component("DeliveryChanges") {
            .object(
                all(contents).map(\.member).map { member in
                    Schema.Member(member.name, member.schema, isRequired: false, about: member.about)
                })
        }
    }

    private static func fields(_ contents: ContentDocument) -> Fields<DeliveryDocument> {
        Fields(DeliveryDocument(), all(contents), named: "DeliveryDocument") { reader, root, _ in
            // If there is a template, merging has already filled in the content or reported a fault.
            if root.value("template") == nil {
                reader.require("content", in: root, example: ContentDocument.smallest)
            }
            if reader.target == .document { reader.require("target", in: root, example: smallestTarget) }
        }
    }

    private static func all(_ contents: ContentDocument) -> [Field<DeliveryDocument>] {
        whom + [Field("content", \.content, contents.form, "required if there is no template")] + how
    }

    static let appNames = Form.strings(1...100, .name)
    static let distinctEnvironments = Form<[PushEnvironment]>.list(
        .word, 1...PushEnvironment.allCases.count, distinct: \.rawValue)

    private static let whom: [Field<DeliveryDocument>] = [
        Field("label", \.label, .text(.name), isRequired: true, "the display name of the delivery"),
        Field("service", \.service, .text(.name), isRequired: true, "the service's name"),
        Field(
            "template", \.template, TemplateReference.form,
            "a template of the service; members of the document override it"),
        Field(
            "apps", \.apps, appNames,
            "default: all apps of the service in its environments"),
        Field(
            "environments", \.environments, distinctEnvironments,
            "default: the environments of the apps; production if there are no apps"),
        Field("target", as: Target.form, isRequired: true, "the recipients") { document, said in
            document.target = said.target
            if said.target == nil { document.refinement = said.refinement }
        },
        Field(
            "allowEmpty", \.allowsEmptyTarget, .boolean,
            "whether a target that matches no subscriber is accepted"),
    ]

    private static let how: [Field<DeliveryDocument>] = [
        Field("schedule", \.schedule, .object(DeliverySchedule.fields), "default: immediately, for 5 days"),
        Field("retry", \.retry, .object(RetryOverride.fields), "default: the instance's settings"),
        Field(
            "tracking", \.tracking, .boolean,
            "whether devices receive ids for reporting events; default: true"),
        Field(
            "ignoreFrequencyCap", \.ignoresFrequencyCap, .boolean,
            "whether to include devices that have reached the service's frequency cap"),
    ]
}

extension DeliverySchedule {
    static let fields = Fields(
        DeliverySchedule(),
        [
            Field("startAt", \.start, .time, "the earliest time; default: immediately").formerly("start")
        ] + ofTemplate.all, named: "DeliverySchedule", check: check)

    /// The members of a schedule, except those that only a single delivery can have.
    static let ofTemplate = Fields(
        DeliverySchedule(),
        [
            Field(
                "validity", \.validitySeconds, .duration(from: 0),
                """
                how long messages can be sent after the start: seconds, or a number followed by s, m, h or \
                d; default: 5d; 0: one attempt
                """
            ),
            Field("priority", \.priority, .word, "higher priorities are sent first; default: normal"),
            Field(
                "ratePerSecond", \.ratePerSecond, .integer(0...1_000_000),
                "the maximum number of requests started per second; 0 or absent: unlimited"),
            Field(
                "retentionDays", \.retentionDays, .integer(0...maxRetentionDays),
                """
                days for which the delivery's messages are kept after its end; 0: forever; default: the \
                instance's setting
                """
            ),
        ] + calendarFields, named: "TemplateSchedule", check: check)

    private static let check: Fields<DeliverySchedule>.Check = { reader, object, schedule in
        reader.checkCalendar(of: &schedule, object)
        if schedule.isNowOrNever, schedule.calendar != nil {
            reader.note(
                object.path(of: "validity"),
                """
                0 means a single attempt at once, which excludes waves, local time and quiet hours; set \
                a validity, or remove those
                """
            )
        }
    }
}

extension RetryOverride {
    static let fields = Fields(
        RetryOverride(),
        [
            Field(
                "count", \.count, .integer(0...100),
                "the number of retries on the first day, followed by one a day"),
            Field("period", \.periodSeconds, .duration(from: 1), "the minimum time between two attempts"),
        ], named: "RetryOverride")
}

extension Form<Int64> {
    /// One year: longer than any gateway stores messages, and so short that adding it to a time cannot
    /// overflow.
    private static var longest: Int64 { 366 * 86_400 }

    /// A duration: a text with a unit, or a number of seconds.
    static func duration(from shortest: Int64) -> Self {
        Self(.oneOf([.string, .integers(Int(shortest)...Int(longest))])) { reader, value, path in
            let seconds: Int64?
            switch value {
            case .integer(let integer): seconds = integer
            case .string(let text): seconds = DurationText.seconds(text)
            default: return reader.refuse(value, at: path, allowed: DurationText.allowed)
            }
            guard let seconds else {
                return reader.refuse(value, at: path, allowed: DurationText.allowed, isOtherKind: false)
            }
            if (shortest...longest).contains(seconds) { return seconds }
            let allowed = "a duration from \(shortest)s to \(DurationText.text(seconds: longest))"
            return reader.refuse(value, at: path, allowed: allowed, isOtherKind: false)
        } write: {
            $0.integer($1, $2)
        }
    }
}
