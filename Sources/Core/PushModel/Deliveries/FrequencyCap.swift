/// The maximum number of messages of a service that may be sent to one device within a period. Preparation
/// applies it: `FrequencyCapCount`.
package struct FrequencyCap: Equatable, Sendable, CustomStringConvertible {
    /// The maximum number of messages, from 1 to ``maxMessages``.
    package let messages: Int
    /// The length of the period in seconds, from a minute to a year.
    package let seconds: Int64

    package static let maxMessages = 100
    /// The allowed form of the text, for error messages.
    package static let allowed = "1 to 100 messages in 1m to 366d, such as \"3 in 7d\""

    private static let durations: ClosedRange<Int64> = 60...366 * 86_400

    /// Returns `nil` if the text is not allowed.
    /// - Parameter text: A text such as `3 in 7d`.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[1] == "in", words[0].utf8.count <= 3,
            words[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let messages = Int(words[0]), (1...Self.maxMessages).contains(messages),
            let seconds = DurationText.seconds(words[2]), Self.durations.contains(seconds)
        else { return nil }
        self.messages = messages
        self.seconds = seconds
    }

    package var description: String { "\(messages) in \(DurationText.text(seconds: seconds))" }
}
