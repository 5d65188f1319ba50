/// A delivery document as an operator writes it. By default, the delivery goes to all subscribers.
package struct DeliveryText: Sendable {
    package var label = "Synthetic"
    /// The type: `alert` or `silent`.
    package var type = "alert"
    /// The `android` object as JSON; `nil` for no object. Without the object, Android devices receive a data
    /// message.
    package var android: String?
    /// A time in UTC such as 2026-11-21T10:00:00Z; `nil` means immediately.
    package var start: String?
    package var validity = "5d"
    /// A priority such as `veryHigh`; `nil` means the engine's default.
    package var priority: String?
    /// The maximum number of requests per second; `nil` means as many as possible.
    package var ratePerSecond: Int?
    package var apps = [Testbed.app]
    /// The target, as a JSON value.
    package var target = #"{"all": true}"#
    /// The content, as a JSON value; `nil` for a title and a body that are the same for all subscribers.
    package var content: String?

    package init(apps: [String] = [Testbed.app]) { self.apps = apps }

    package var json: String {
        let rank = priority.map { ", \"priority\": \"\($0)\"" } ?? ""
        let rate = ratePerSecond.map { ", \"ratePerSecond\": \($0)" } ?? ""
        let names = apps.map { "\"\($0)\"" }.joined(separator: ", ")
        let begin = start.map { #""startAt": "\#($0)", "# } ?? ""
        return """
            { "label": "\(label)", "service": "\(Testbed.service)", "apps": [\(names)],
              "target": \(target),
              "content": \(content ?? usualContent),
              "schedule": {\(begin)"validity": "\(validity)"\(rank)\(rate)} }

            """
    }

    private var usualContent: String {
        let visible = #""title": "Paris ✈ from \"99\" EUR", "body": "Book until Sunday.","#
        let sound = type == "alert" ? #", "badge": 3, "sound": "default""# : ""
        return """
            { \(type == "alert" ? visible : "")
                "variables": {"mediaUrl": "https://example.org/paris.png"},
                "ios": {"type": "\(type)"\(sound)}\(android.map { ", \"android\": \($0)" } ?? "") }
            """
    }
}
