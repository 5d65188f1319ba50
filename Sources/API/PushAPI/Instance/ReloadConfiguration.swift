package import PushConfig
internal import PushModel
package import PushStore

/// Has the running master read its serverConf.xml anew and go on with what it says. A file that is wrong, or
/// names one that cannot be used, changes nothing; the logs are reopened in any case.
package struct ReloadConfiguration: Order, UseCase {
    package static let name = "engine.reload"
    package static let operation = Operation(
        .post, "/instance/reload", .admin, "Reads serverConf.xml again.", isLocal: true)
    package static let members: [Member<Self>] = []
    package var auditText: AuditText? { .of("") }

    package init() {}

    package func perform(in operations: Operations) throws -> ReloadView {
        // First, and whatever the file says: what has moved the logs waits for that, and not for a sound configuration.
        operations.engine.reopenLogs()
        let running = operations.configuration
        let report = try ConfigurationFileCheck(path: running.path).perform(
            productVersion: running.productVersion)
        guard report.valid else {
            let errors = report.findings.filter { $0.severity == .error }
            throw OperationError(
                .refused, lines: errors.map { $0.text(inFile: report.path) } + ["nothing was changed"])
        }
        let new = try ConfigurationFile.load(
            path: running.path, schema: running.schema, productVersion: running.productVersion)
        let changes = new.changes(since: running.settings)
        try operations.engine.apply(new.applied(to: running.settings))
        return ReloadView(
            path: new.path, changes: changes.filter { !$0.needsRestart },
            needRestart: changes.filter(\.needsRestart))
    }
}

/// What a new reading of serverConf.xml came to.
package struct ReloadView: View, Equatable {
    package var path: String
    package var changes: [ConfigurationChange]
    /// Changed in the file, and not in the service, which has the old value until it is started again.
    package var needRestart: [ConfigurationChange]

    /// A line for each change, and one where there is none.
    package var lines: [String] {
        if changes.isEmpty, needRestart.isEmpty { return ["\(path) was read again: no setting has changed"] }
        return changes.map { "\($0.path): \($0.text)" }
            + needRestart.map { "\($0.path): \($0.text), which needs a restart" }
    }
}

extension ConfigurationChange: View {
    fileprivate var text: String {
        old == new ? "changed" : "\(old.isEmpty ? "none" : old) -> \(new.isEmpty ? "none" : new)"
    }
}
