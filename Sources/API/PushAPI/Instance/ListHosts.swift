package import PushModel
internal import PushStore

/// The hosts that share the store, whoever leads first. None where the store is one host's by its nature.
package struct ListHosts: ShortOperation, UseCase {
    package static let name = "host.list"
    package static let operation = Operation(
        .get, "/hosts", .read, "The hosts that share the store, the leading one first.")
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [HostView] {
        let own = try operations.store.hostRegister()?.host
        return try operations.store.hosts.all().map { HostView($0, isThis: $0.id == own) }
    }
}

/// A host as a list shows it.
package struct HostView: View, Equatable {
    package var name: String
    /// Of its instance folder, at random.
    package var id: String
    /// `leading` (it sends too), `sending`, `draining` until nothing of it is under way, `drained` from then on,
    /// `standby` before it sends, `gone` after an orderly end, or `lost`: it fell silent.
    package var state: String
    package var release: String
    /// Since when it has been in that state.
    package var since: WallMoment
    /// How old its last word is; a host that lives has one each second.
    package var silentSeconds: Int
    /// Counts take-overs: the one by which it leads, or led last; 0: it never did.
    package var generation: Int64
    /// Parts of deliveries that are its own at present.
    package var parts: Int
    /// As it said last: messages that its children have, or whose outcome is not recorded: the bound on
    /// duplicates where it dies now.
    package var unrecorded: Int
    /// Messages that were answered a second, within the last ten.
    package var answersPerSecond: Int
    /// The one that was asked.
    package var isThis: Bool

    /// Nothing of it runs, as far as the others know.
    package var hasGone: Bool { HostReader.hasGone(state) }
    /// Something of it may be under way.
    package var sends: Bool { HostReader.sends(state, silentMilliseconds: Int64(silentSeconds) * 1_000) }

    init(_ row: HostRow, isThis: Bool) {
        (name, id, state, release) = (row.name, row.id, row.state, row.release)
        (since, generation, parts, self.isThis) = (row.since, row.generation, row.parts, isThis)
        (unrecorded, answersPerSecond) = (row.unrecorded, row.answersPerSecond)
        silentSeconds = Int(clamping: row.silentMilliseconds / 1_000)
    }
}
