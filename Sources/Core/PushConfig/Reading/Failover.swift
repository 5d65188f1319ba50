/// The unstated assumption of a file that names several PostgreSQL servers: each server has everything that
/// the server before it had committed.
struct Failover {
    private let assembly: SettingsAssembly

    init(_ assembly: SettingsAssembly) { self.assembly = assembly }

    /// The note; `nil` if there is only one server.
    var note: Finding? {
        let server = \ServerConfiguration.store.server
        let store = assembly.settings.store
        guard store.provider == .postgreSQL, let hosts = store.hosts, hosts.count > 1 else { return nil }
        let text =
            "\(assembly.path(of: server)): names \(hosts.count) servers; if the next one is an asynchronous "
            + "replica, it can lack the last commits, so accepted messages can be lost: set "
            + "synchronous_standby_names on the servers"
        return Finding(.note, at: assembly.position(of: server), text)
    }
}
