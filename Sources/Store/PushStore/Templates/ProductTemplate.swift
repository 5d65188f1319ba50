internal import PushModel

/// A template that comes with the product: a start for deliveries to one platform. An operator may change or
/// delete it.
struct ProductTemplate {
    let name: String
    /// The document in its normal form. It contains neither text nor sound, so a delivery without text is
    /// refused.
    let body: String

    static let all = [
        ProductTemplate(
            name: "iOS",
            body: #"{"content":{"ios":{"interruptionLevel":"active","mutableContent":true,"#
                + #""type":"alert"}}}"#),
        ProductTemplate(
            name: "Android", body: #"{"content":{"android":{"priority":"high","type":"notification"}}}"#),
    ]

    /// The condition for rows that every new store has.
    static var condition: String {
        let names = all.map { "'\($0.name)'" }.joined(separator: ", ")
        return "service_id = \(StoredTemplate.noService.rawValue) AND version = 1 AND name IN (\(names))"
    }
}
