/// The words that only the old binary gateway has.
extension RuleWords {
    /// Nil: it is none of them.
    mutating func binary(_ word: String) throws(RuleProblem) -> SinkAnswer.Act? {
        switch word {
        case "status":
            let code = try number(of: word, 0...255)
            guard code != BinaryStatus.shutdown.code else {
                throw RuleProblem("'status 10' would name a notification that was not taken: say 'shutdown'")
            }
            return .reject(BinaryStatus(UInt8(clamping: code)).rejection)
        case "invalid-token": return .reject(BinaryStatus.invalidToken.rejection)
        case "shutdown": return .goAway(GoAway(.abrupt, reason: "Shutdown"))
        case "garbage": return .blurt(.garbage)
        case "half-packet": return .blurt(.halfPacket)
        case "stranger": return .blurt(.stranger)
        default: return nil
        }
    }
}
