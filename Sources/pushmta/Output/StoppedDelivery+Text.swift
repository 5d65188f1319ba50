internal import PushModel
internal import PushOperations

extension StoppedDelivery {
    /// `delivery 7 is being stopped: 120 requests are on the wire and will be counted, 9 880 messages are
    /// yet to be cancelled`
    var line: String {
        let already = changed ? "" : " already"
        guard state == .stopping else {
            return
                "delivery \(delivery) is stopped\(already): \(Numerals.count(cancelled, "message")) cancelled"
        }
        return "delivery \(delivery) is being stopped\(already): "
            + "\(Numerals.count(onTheWire, "request")) on the wire, whose answers will count, "
            + "\(Numerals.count(cancelled, "message")) cancelled, \(Numerals.grouped(toBeCancelled)) yet to be cancelled"
    }
}
