internal import PushModel
internal import PushStore

/// How many subscribers the list of a target matches.
package struct ListMatchView: View, Equatable {
    package static let about = [
        "key":
            "what identifies the recipients of the list: `userKey`, `token`, or the name of a parameter",
        "rows":
            """
        recipients in the uploaded file, including repeated ones; null if the list was in the document, or \
        if the file was a short list of user keys
        """,
        "listed": "different values in the list",
        "matched": "values that at least one subscriber has; null if the delivery is not prepared",
        "unmatched": "values that no subscriber has; null if the delivery is not prepared",
        "matchRate": "the share of values that a subscriber has, from 0 to 1; null if unknown",
        "devices": "subscriptions that have one of the values; null if unknown",
        "people":
            """
        users of these subscriptions, counting each subscription without a user key as a user; null if \
        unknown, and for lists of tokens
        """,
        "ambiguous":
            """
        values of the parameter that subscribers with different user keys have; null for lists of user keys \
        and tokens
        """,
    ]

    package var key: String
    package var rows: Int?
    package var listed: Int
    package var matched: Int?
    package var unmatched: Int?
    package var matchRate: Double?
    package var devices: Int?
    package var people: Int?
    package var ambiguous: Int?

    /// - Parameters:
    ///   - unknown: The number of listed values that no subscriber has, if it is known.
    ///   - devices: The number of subscriptions that were found by the values, if it is known.
    /// - Returns: `nil` if the target lists no recipients.
    init?(of target: Target, unknown: Int?, devices: Int?) {
        guard let count = target.listedCount else { return nil }
        listed = count
        let list = if case .list(let list) = target.base { list } else { nil as RecipientList? }
        rows = list?.upload?.rows
        if let match = list?.upload?.match {
            key = match.key
            (self.devices, people, ambiguous) = (match.devices, match.people, match.ambiguous)
            setMatched(match.matched)
            return
        }
        let isByUserKey =
            if case .userKeys = target.base { true } else { list?.kind == .userKeys }
        key = isByUserKey ? "userKey" : "token"
        guard let unknown else { return }
        setMatched(count - unknown)
        self.devices = devices
        people = isByUserKey ? matched : nil
    }

    private mutating func setMatched(_ matched: Int) {
        (self.matched, unmatched) = (matched, listed - matched)
        matchRate = listed > 0 ? (Double(matched) / Double(listed) * 10_000).rounded() / 10_000 : nil
    }
}
