package import PushConfig
package import PushStore

extension StoreConfiguration {
    /// The location of the store. The settings were checked when they were read.
    package var place: Store.Place {
        switch provider {
        case .sqlite: .sqlite(path: server)
        case .postgreSQL:
            .postgreSQL(
                PostgreSQLServer(
                    hosts: (hosts ?? []).map { PostgreSQLServer.Host(name: $0.name, port: $0.port) },
                    account: account?.name ?? "", database: account?.database ?? "",
                    passwordFile: passwordFile),
                instanceFolder: instanceFolder)
        }
    }
}
