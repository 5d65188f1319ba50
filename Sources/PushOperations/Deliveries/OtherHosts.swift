internal import Glibc
package import PushModel
internal import PushStore
internal import PushSystem

/// Hosts that send from the same store beside this one.
struct OtherHosts {
    private let operations: Operations

    /// A host says a word each second, and one that is dead is known to be after a while.
    static let patienceSeconds: Int64 = 45
    private static let betweenLooksMicroseconds: UInt32 = 50_000

    init(_ operations: Operations) { self.operations = operations }

    var areThere: Bool {
        get throws {
            guard let own = try operations.store.hostRegister()?.host else { return false }
            return try !operations.store.hosts.disobedient(besides: own).names.isEmpty
        }
    }

    /// Waits until they begin no request of a delivery that was stopped in the store.
    /// - Returns: whether there are others.
    /// - Throws: where one of them says nothing.
    func obeyStop(of delivery: DeliveryID) throws -> Bool {
        guard let own = try operations.store.hostRegister()?.host else { return false }
        var (names, since) = try operations.store.hosts.disobedient(besides: own)
        guard !names.isEmpty else { return false }
        let end = Clocks.monotonic().advanced(bySeconds: Self.patienceSeconds)
        while let name = names.first {
            guard Clocks.monotonic() < end else {
                throw OperationError.unconfirmedStop(
                    of: delivery, "host \(name.printable(atMost: 200)) sends too and does not answer")
            }
            usleep(Self.betweenLooksMicroseconds)
            names = try operations.store.hosts.disobedient(besides: own, since: since).names
        }
        return true
    }
}

extension OperationError {
    /// The delivery is stopped in the store, and nobody knows whether children know it.
    package static func unconfirmedStop(of delivery: DeliveryID, _ why: String) -> OperationError {
        .failed(
            "delivery \(delivery) is stopped, but requests of it may begin for another moment, because \(why): ask "
                + "again with 'delivery stop \(delivery) --yes', and look at 'status'")
    }
}
