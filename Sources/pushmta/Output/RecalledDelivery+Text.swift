internal import PushModel
internal import PushOperations

extension RecalledDelivery {
    /// `delivery 7 is stopped: 120 messages cancelled`, `delivery 8 replaces what was sent of delivery 7`
    var lines: [String] {
        let first = stopped.map(\.line) ?? (isRepeated ? nil : "delivery \(delivery) had ended")
        guard let replacement else {
            return [first, "no message of it was sent: there is nothing to replace"].compactMap { $0 }
        }
        let begin = replacementStart.map { ", from \($0.utcText) on, when its last answers are known" } ?? ""
        let already = isRepeated ? " already" : ""
        return [
            first, "delivery \(replacement) replaces\(already) what was sent of delivery \(delivery)\(begin)",
        ]
        .compactMap { $0 }
    }
}
