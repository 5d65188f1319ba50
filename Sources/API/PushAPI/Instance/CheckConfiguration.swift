package import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushStore
internal import PushSystem

/// Checks the text of a serverConf.xml, or the instance's file. Files that a given text names are not
/// examined: they may not exist yet, and the caller must not obtain information about them.
package struct CheckConfiguration: ShortOperation, UseCase {
    package static let name = "config.check"
    package static let operation = Operation(
        .post, "/configuration/check", .admin,
        "Checks the text of a serverConf.xml, or the instance's file together with the files that it names.",
        .lengthy,
        maxBodyBytes: 2 * ConfigurationFile.maximumBytes, reach: .instance)
    package static let members: [Member<Self>] = [
        .field(
            \.text, "text", "The text of a serverConf.xml. The files that it names are not checked.",
            absent: "the instance's file in its current form")
    ]

    package private(set) var text: String?

    package init() {}

    package func perform(in operations: Operations) throws -> ConfigurationReport {
        let running = operations.configuration
        guard let text else {
            return try ConfigurationFileCheck(path: running.path).perform(
                productVersion: running.productVersion)
        }
        let connectors = Set(try operations.store.catalogue.apps().map(\.settings.connector))
        do throws(ConfigurationError) {
            let loaded = try ConfigurationFile.parse(
                Array(text.utf8), path: running.path, schema: running.schema,
                productVersion: running.productVersion)
            return ConfigurationReport(
                path: Self.textName, valid: true, findings: loaded.findings(connectors: connectors))
        } catch {
            return ConfigurationReport(path: Self.textName, valid: false, findings: error.findings)
        }
    }

    /// The name of a given text in a report.
    private static let textName = "text"
}

/// Reports everything about a configuration file, whether or not the file is valid: its contents, the files
/// that it names, settings that have no effect in this version, and the consequences of other settings for
/// the apps in the store.
package struct ConfigurationFileCheck: Sendable {
    package var path: String

    package init(path: String) { self.path = path }

    /// - Throws: If the file cannot be read. Faults in the file are part of the answer.
    package func perform(productVersion: String) throws(OperationError) -> ConfigurationReport {
        do throws(ConfigurationError) {
            let loaded = try ConfigurationFile.load(
                path: path, schema: ConnectorCatalogue.settings, productVersion: productVersion)
            let named = NamedFiles(loaded)
            let findings = loaded.findings(
                connectors: named.connectors, and: named.findings, warnings: named.warnings)
            return ConfigurationReport(
                path: loaded.path, valid: named.findings.isEmpty, findings: findings + loaded.folderFindings)
        } catch {
            guard error.cause == .refused else { throw OperationError(error) }
            return ConfigurationReport(path: error.path, valid: false, findings: error.findings)
        }
    }
}

extension LoadedConfiguration {
    /// Returns findings in the order of the file, followed by warnings and by the notes that concern these
    /// connectors.
    fileprivate func findings(
        connectors: Set<ConnectorName>, and others: [Finding] = [], warnings: [Finding] = []
    ) -> [Finding] {
        let notes = notes.filter { note in
            note.connectors.isEmpty || note.connectors.contains(where: connectors.contains)
        }
        return (findings + others + settingsWithoutEffect).sorted { $0.line < $1.line } + warnings + notes
    }

    /// The findings about the instance's folder, if it exists. Any user may check the file, so it is assumed
    /// that the service runs as the folder's owner.
    fileprivate var folderFindings: [Finding] {
        FolderAccess.warning(ofInstanceAt: settings.store.place.instancePath, ownerServes: true).map {
            [Finding(.warning, line: 0, column: 0, message: $0)]
        } ?? []
    }

    /// Settings that are read but not used in this version, with their lines in the file.
    fileprivate var settingsWithoutEffect: [Finding] {
        let paths = [
            schema.path(of: \.mta.workingPath), schema.path(of: \.mta.child.timeToLive),
        ]
        return origins.compactMap { row in
            guard let line = row.line, paths.contains(row.path) else { return nil }
            return Finding(
                .ignored, line: line, column: 0, message: "\(row.path): has no effect in this version")
        }
    }
}

package struct ConfigurationReport: View, Equatable {
    package static let about = [
        "path": "the file; `text` if the request contained a text",
        "valid": "whether the service starts with this configuration",
        "findings": "in the order of their lines",
    ]

    package var path: String
    package var valid: Bool
    package var findings: [Finding]
}

extension Finding: View {
    package static let about = [
        "line": "from 1; 0 if the finding is about the file as a whole",
        "column": "from 1, in characters; 0 if the finding is about the file as a whole",
    ]
}

extension Finding.Severity: Word {}

extension Finding {
    /// The finding's values, for targets that do not depend on `PushConfig`.
    package var values: (severity: String, line: Int, message: String) {
        (severity.rawValue, line, message)
    }
}
