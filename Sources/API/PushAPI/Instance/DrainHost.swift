internal import PushModel
package import PushStore

/// Makes a host stop sending, or send again. A host that stops sending takes no more parts, completes the
/// work in progress, hands its parts to the other hosts, and waits, even after a restart. Its web module
/// continues to run.
///
/// A host that is already in the requested state is left unchanged. Refuses a name that several hosts have.
package struct DrainHost: ChangingOperation, UseCase {
    package static let name = "host.drain"
    package static let operations = [
        Operation(
            .post, "/hosts/{name}/drain", .admin,
            """
            Stops a host from sending. The host completes requests in progress and hands over its parts to \
            the other hosts.
            """,
            given: ["isWanted": "true"], reach: .instance),
        Operation(
            .post, "/hosts/{name}/resume", .admin, "Allows a host to send again.", verb: "resume",
            given: ["isWanted": "false"], reach: .instance),
    ]
    package static var operation: Operation { operations[0] }
    package static let members: [Member<Self>] = [
        .path(\.host, "name", "The host's name or id."),
        .path(\.isWanted, "isWanted", "Whether the host must stop sending."),
    ]
    package var followUpCommand: String { "host list" }
    package var auditText: AuditText? { .of("\(host): \(isWanted ? "drain" : "send again")") }

    private var host = ""
    /// Whether the host is to stop sending; `false` means that it sends again.
    private var isWanted = true

    package init() {}

    package init(host: String, isWanted: Bool) {
        (self.host, self.isWanted) = (host, isWanted)
    }

    package func perform(in operations: Operations) throws -> HostView {
        guard let register = try operations.store.hostRegister() else {
            throw OperationError.refused(
                """
                a store in a file has only one host; stop its service, or pause single deliveries: \
                \(see: PauseDelivery.self)
                """
            )
        }
        let id = try found(in: operations)
        guard try register.drain(id, isWanted, noting: operations.store.note) else {
            throw unknown(among: try operations.store.hosts.all())
        }
        let rows = try operations.store.hosts.all()
        guard let row = rows.first(where: { $0.id == id }) else { throw unknown(among: rows) }
        return HostView(row, isThis: id == register.host)
    }

    private func found(in operations: Operations) throws -> String {
        let rows = try operations.store.hosts.all()
        if rows.contains(where: { $0.id == host }) { return host }
        let named = rows.filter { $0.name == host }
        // A host that no longer exists may have had the same name.
        let live = named.filter { !HostReader.hasGone($0.state) }
        let candidates = live.isEmpty ? named : live
        guard let only = candidates.first else { throw unknown(among: rows) }
        guard candidates.count == 1 else {
            throw OperationError.refused(
                """
                \(candidates.count) hosts are named \(host.printable(atMost: 100)); give the id that \
                \(see: ListHosts.self) shows
                """
            )
        }
        return only.id
    }

    private func unknown(among rows: [HostRow]) -> OperationError {
        let names = Set(rows.map { $0.name.printable(atMost: 100) }).sorted()
        let hint =
            names.isEmpty
            ? "\(see: ListHosts.self) shows all hosts"
            : "existing hosts: \(ExistingNames.list(names, like: host))"
        return .absent("there is no host \(host.printable(atMost: 100)); \(hint)")
    }
}
