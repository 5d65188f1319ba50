package import PushModel

extension WallMoment {
    /// ISO 8601 with milliseconds: `2026-11-21T10:00:00.250Z`.
    package var utcText: String {
        let milliseconds = millisecondsSince1970 - time.secondsSince1970 * 1_000
        let digits = String(1_000 + milliseconds).dropFirst()
        return "\(time.utcText.dropLast()).\(digits)Z"
    }
}
