internal import PushModel

extension PreparationPlan {
    /// The plan of an order that is not in the store, from its beginning: what ``TargetSelection`` would find
    /// if it was submitted now.
    init(of order: DeliveryOrder) throws {
        var parameters: String?
        if case .parameters(let wanted) = order.target { parameters = try StoredJSON.encode(wanted) }
        var seen = Set<AppID>()
        self.init(
            delivery: DeliveryID(rawValue: 0), apps: order.apps.filter { seen.insert($0).inserted },
            target: StoredTarget(order.target), parameters: parameters,
            cursor: Cursor(app: 0, page: 0, value: 0, subscription: 0), lastOrdinal: 0,
            priority: order.schedule.priority, expiresAt: WallTime(secondsSince1970: 0), isUnfinished: true,
            contradictsItself: false)
        if let values = order.target.listed {
            listed = stride(from: 0, to: values.count, by: StoredTarget.pageSize).map { start in
                Array(values.dropFirst(start).prefix(StoredTarget.pageSize))
            }
        }
    }

    /// A page of what the target lists; nil: there is none.
    func listedPage(_ page: Int, _ db: any Session) throws -> [String]? {
        if let listed { return listed.indices.contains(page) ? listed[page] : nil }
        return try db.value(
            String.self, sql: "SELECT listed FROM delivery_target WHERE delivery_id = ?1 AND page = ?2",
            arguments: [delivery.rawValue, page]
        ).map { try StoredJSON.decode([String].self, from: $0) }
    }
}
