package import PushConfig
internal import PushModel
internal import PushStore
internal import PushSystem

/// Everything that is to be said about a configuration file, good or bad: what it says, what the files are
/// that it names, which of its settings have no effect in this version, and what others amount to for the
/// apps that there are.
package struct CheckConfiguration: Sendable {
    package var path: String

    package init(path: String) { self.path = path }

    /// - Throws: where the file cannot be read; what is wrong with it is in the answer.
    package func perform(productVersion: String) throws(OperationError) -> ConfigurationReport {
        do throws(ConfigurationError) {
            let loaded = try ConfigurationFile.load(path: path, productVersion: productVersion)
            let named = NamedFiles(loaded)
            let findings = loaded.findings + named.findings + loaded.settingsWithoutEffect
            let notes = loaded.notes.filter { note in
                note.connectors.isEmpty || note.connectors.contains(where: named.connectors.contains)
            }
            return ConfigurationReport(
                path: loaded.path, valid: named.findings.isEmpty,
                findings: findings.sorted { $0.line < $1.line } + named.warnings + notes
                    + loaded.folderFindings)
        } catch {
            guard error.cause == .refused else { throw OperationError(error) }
            return ConfigurationReport(path: error.path, valid: false, findings: error.findings)
        }
    }
}

extension LoadedConfiguration {
    /// What is to be said about the instance's folder, if it exists.
    fileprivate var folderFindings: [Finding] {
        FolderAccess.warning(ofInstanceAt: settings.store.place.instancePath).map {
            [Finding(.warning, line: 0, column: 0, message: $0)]
        } ?? []
    }

    /// Settings that are read, and that nothing in this version looks at: where they are written.
    fileprivate var settingsWithoutEffect: [Finding] {
        let paths = [
            ConfigurationKey.path(of: \.mta.workingPath), ConfigurationKey.path(of: \.mta.child.timeToLive),
        ]
        return origins.compactMap { row in
            guard let line = row.line, paths.contains(row.path) else { return nil }
            return Finding(
                .ignored, line: line, column: 0, message: "\(row.path): has no effect in this version")
        }
    }
}

package struct ConfigurationReport: Codable, Equatable, Sendable {
    package var path: String
    /// Whether the program starts with it.
    package var valid: Bool
    /// In the file's order.
    package var findings: [Finding]
}
