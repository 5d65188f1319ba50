package import PushModel
internal import PushStore

/// Lists the hosts that share the store, the leading one first. The list is empty if the kind of store allows
/// only one host.
package struct ListHosts: ShortOperation, UseCase {
    package static let name = "host.list"
    package static let operation = Operation(
        .get, "/hosts", .read, "Lists the hosts that share the store, the leading host first.",
        reach: .instance)
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [HostView] {
        let own = try operations.store.hostRegister()?.host
        return try operations.store.hosts.all().map { HostView($0, isThis: $0.id == own) }
    }
}

/// A host as the list of hosts shows it.
package struct HostView: View, Equatable {
    package var name: String
    /// The random id of the host's instance folder.
    package var id: String
    /// `leading` (the host also sends), `sending`, `draining` until no work is in progress, `drained` from
    /// then on, `standby` before the host sends, `gone` after an orderly end, or `lost` if the host stopped
    /// reporting.
    package var state: String
    package var release: String
    /// The time since which the host has been in this state.
    package var since: WallMoment
    /// The age of the host's last report, in seconds. A running host reports every second.
    package var silentSeconds: Int
    /// The number of the takeover by which the host most recently began to lead. 0 means that the host has
    /// never led.
    package var generation: Int64
    /// The number of parts of deliveries that the host owns at present.
    package var parts: Int
    /// The number of messages that the host's children have or whose outcome is not recorded, according to
    /// the host's last report. If the host dies, at most this number of messages are sent twice.
    package var unrecorded: Int
    /// The number of messages that were answered per second, within the last ten seconds.
    package var answersPerSecond: Int
    /// Whether this is the host that received the request.
    package var isThis: Bool

    /// Whether nothing is running on the host, as far as the other hosts know.
    package var hasGone: Bool { HostReader.hasGone(state) }
    /// Whether work may be in progress on the host.
    package var sends: Bool { HostReader.sends(state, silentMilliseconds: Int64(silentSeconds) * 1_000) }

    init(_ row: HostRow, isThis: Bool) {
        (name, id, state, release) = (row.name, row.id, row.state, row.release)
        (since, generation, parts, self.isThis) = (row.since, row.generation, row.parts, isThis)
        (unrecorded, answersPerSecond) = (row.unrecorded, row.answersPerSecond)
        silentSeconds = Int(clamping: row.silentMilliseconds / 1_000)
    }
}
