package import PushConfig
internal import PushModel
package import PushStore

/// Makes the running master read its serverConf.xml again and apply the settings. If the file is wrong or
/// names an unusable file, no setting is changed. The logs are reopened in any case.
package struct ReloadConfiguration: Order, UseCase {
    package static let name = "engine.reload"
    package static let operation = Operation(
        .post, "/instance/reload", .admin, "Reloads serverConf.xml.", isLocal: true)
    package static let members: [Member<Self>] = []
    package var auditText: AuditText? { .of("") }

    package init() {}

    package func perform(in operations: Operations) throws -> ReloadView {
        // The logs are reopened first, whatever the file contains, because the program that moved the logs
        // waits until they are reopened, even if the configuration is invalid.
        operations.engine.reopenLogs()
        do throws(OperationError) {
            let view = try reload(in: operations)
            operations.engine.logReload(.success(view))
            return view
        } catch {
            let error = error.adding(
                "nothing was changed: the service continues with its earlier configuration; correct the "
                    + "file, then \(command: "run 'pushmta reload'", api: "reload it") again")
            operations.engine.logReload(.failure(error))
            throw error
        }
    }

    private func reload(in operations: Operations) throws(OperationError) -> ReloadView {
        let running = operations.configuration
        do {
            let report = try ConfigurationFileCheck(path: running.path).perform(
                productVersion: running.productVersion)
            guard report.valid else {
                let errors = report.findings.filter { $0.severity == .error }
                throw OperationError(.refused, lines: errors.map { $0.text(inFile: report.path) })
            }
            let new = try ConfigurationFile.load(
                path: running.path, schema: running.schema, productVersion: running.productVersion)
            let changes = new.changes(since: running.settings)
            try operations.engine.apply(new.applied(to: running.settings))
            return ReloadView(
                path: new.path, changes: changes.filter { !$0.needsRestart },
                needRestart: changes.filter(\.needsRestart),
                warnings: report.findings.filter { $0.severity == .warning }
                    .map { $0.text(inFile: report.path) })
        } catch { throw OperationError(error) }
    }
}

/// The result of reloading serverConf.xml.
package struct ReloadView: View, Equatable {
    package var path: String
    package var changes: [ConfigurationChange]
    /// Settings that were changed in the file but keep their old values in the service until it is restarted.
    package var needRestart: [ConfigurationChange]
    /// Probable mistakes in the file, for example an unknown attribute, with their places.
    package var warnings: [String]

    /// One line for each change; if there is none, one line that states this.
    package var lines: [String] {
        if changes.isEmpty, needRestart.isEmpty { return ["\(path) was reloaded; no setting has changed"] }
        return changes.map { "\($0.path): \($0.text)" }
            + needRestart.map { "\($0.path): \($0.text), which needs a restart" }
    }
}

extension ConfigurationChange: View {
    fileprivate var text: String {
        old == new ? "changed" : "\(old.isEmpty ? "none" : old) -> \(new.isEmpty ? "none" : new)"
    }
}
