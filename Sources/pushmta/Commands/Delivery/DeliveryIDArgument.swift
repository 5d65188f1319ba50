internal import ArgumentParser
internal import PushModel

extension DeliveryID: ExpressibleByArgument {
    package init?(argument: String) {
        guard let number = Int64(argument), number > 0 else { return nil }
        self.init(rawValue: number)
    }
}
