internal import ArgumentParser
internal import PushModel
internal import PushStore

extension DeliveryID: ExpressibleByArgument {
    package init?(argument: String) {
        guard let number = Int64(argument), number > 0 else { return nil }
        self.init(rawValue: number)
    }
}

extension DeliveryReader {
    /// What there is to show of a delivery that a person named.
    func require(_ id: DeliveryID) throws -> DeliverySummary {
        if let summary = try summary(of: id) { return summary }
        throw CommandFailure.refused("there is no delivery \(id); 'delivery list' shows those that there are")
    }
}
