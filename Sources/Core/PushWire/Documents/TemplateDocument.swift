package import PushModel

/// A document that an operator saves under a name: a delivery document without the members that belong to a
/// single delivery.
///
///     {"content": {"title": "Spring sale", "ios": {"sound": "default"}}, "schedule": {"validity": "12h"}}
///
/// **Promises.** As for ``DeliveryDocument``: the reader lists every fault by path.
package struct TemplateDocument: Equatable, Sendable {
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
                Field("content", \.content, contents.form, isRequired: true),
                Field("schedule", as: .object(DeliverySchedule.ofTemplate)),
                Field("retry", as: .object(RetryOverride.fields)),
                Field("tracking", \.tracking, .boolean, "whether devices receive ids for reporting events"),
            ], named: "TemplateDocument")
    }
}
