package import PushModel

/// A document that an operator saves under a name: a delivery document without the members that belong to a
/// single delivery.
///
///     {"apps": ["neotrips-ios"], "target": {"where": {"city": "Paris"}},
///      "content": {"title": "Spring sale", "ios": {"sound": "default"}}, "schedule": {"validity": "12h"}}
///
/// **Promises.** As for ``DeliveryDocument``: the reader lists every fault by path.
package struct TemplateDocument: Equatable, Sendable {
    /// The name of the service; `nil` if the document names none.
    package private(set) var service: String?
    /// Names of apps, without duplicates; empty if each delivery chooses its apps.
    package private(set) var apps: [String] = []
    /// The environments, without duplicates; empty if each delivery chooses them.
    package private(set) var environments: [PushEnvironment] = []
    /// The target; `nil` if each delivery has its own.
    package private(set) var target: Target?
    package private(set) var content = Content()
    package private(set) var tracking = true
    /// The document as read, but with its members sorted by name, so that equal documents have equal text.
    package private(set) var value = JSONValue.null

    /// Maximum size, in bytes. A larger document is refused before it is parsed. No gateway accepts a payload
    /// of more than a tenth of this size.
    package static let maximumBytes = 64 << 10

    /// - Parameter contents: Reads the document's content.
    /// - Throws: ``WireError/document(_:)``
    package static func parse(_ bytes: [UInt8], contents: ContentDocument) throws(WireError)
        -> TemplateDocument
    {
        let value = try JSONParser.document(
            bytes, atMost: maximumBytes, else: "the maximum for a template is \(maximumBytes)")
        var document = try fields(contents).document(value)
        document.value = value.sorted
        return document
    }

    package static func schema(_ contents: ContentDocument) -> Schema { fields(contents).schema }

    private static func fields(_ contents: ContentDocument) -> Fields<TemplateDocument> {
        Fields(
            TemplateDocument(),
            [
                Field(
                    "service", \.service, .text(.name),
                    "the service of the deliveries; default: the template's service"),
                Field(
                    "apps", \.apps, DeliveryDocument.appNames, "the apps of the deliveries"),
                Field(
                    "environments", \.environments, DeliveryDocument.distinctEnvironments,
                    "the environments of the deliveries"),
                Field("target", as: Target.form, "the recipients of the deliveries") {
                    $0.target = $1.target
                },
                Field("content", \.content, contents.form, isRequired: true),
                Field("schedule", as: .object(DeliverySchedule.ofTemplate)),
                Field("retry", as: .object(RetryOverride.fields)),
                Field("tracking", \.tracking, .boolean, "whether devices receive ids for reporting events"),
            ], named: "TemplateDocument")
    }
}
