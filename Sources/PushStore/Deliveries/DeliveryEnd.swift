internal import PushModel

/// When a delivery has ended: everything is prepared and nothing waits.
enum DeliveryEnd {
    /// - Returns: whether it ended now.
    static func finishIfDone(_ delivery: DeliveryID, at now: WallMoment, _ db: any Session) throws -> Bool {
        let finish = try db.statement(HotSQL.finish)
        finish.bind(delivery.rawValue, at: 1)
        finish.bind(now.millisecondsSince1970, at: 2)
        return try finish.change() > 0
    }
}
