internal import PushModel

/// How callers say a service's frequency cap.
enum FrequencyCapText {
    /// Takes the cap away.
    static let none = "none"

    /// - Returns: nil for ``none``.
    static func cap(_ text: String) throws(OperationError) -> FrequencyCap? {
        if text == none { return nil }
        guard let cap = FrequencyCap(text) else {
            throw .refused(
                "the frequency cap \"\(text.printable(atMost: 64))\" is none; allowed is \(FrequencyCap.allowed), "
                    + "or \"\(none)\"")
        }
        return cap
    }
}
