internal import PushXML

/// Converts serverConf.xml to checked settings.
///
/// **Promises.** Any bytes result in either settings or a ``ConfigurationError`` whose findings state line
/// and column. All errors are reported together. A document that is not XML has only one finding. Nothing
/// outside the given bytes is read: no entities, no includes, no environment.
///
/// **Neighbours.** ``ConfigurationKey`` (the keys that are used), `CampaignElement` (the known elements that
/// are not used), `ConfigurationFile+Load` (the source of the bytes).
package enum ConfigurationFile {
    /// Maximum file size, in bytes. A Campaign file with all its comments has 60 kB.
    package static let maximumBytes = 1 << 20
    /// Maximum number of findings that are listed; the rest is only counted. A file with errors throughout
    /// usually repeats the same error.
    static let maximumFindings = 200
    /// These limits are ten times Campaign's deepest nesting and largest tag. Only the size of the file
    /// limits the number of elements and the length of names and values. Unknown elements cause warnings and
    /// are counted.
    private static let limits = XMLLimits(
        bytes: maximumBytes, depth: 64, elements: maximumBytes, attributesOfElement: 500,
        bytesOfName: maximumBytes,
        bytesOfValue: maximumBytes)

    /// Checks the contents of a file without accessing any file.
    ///
    /// - Parameters:
    ///   - schema: The settings that exist.
    ///   - path: The source of the bytes, which appears in findings. Its folder is the value of
    ///     `$(XTK_INSTALL_DIR)` and the base of relative paths. If `path` is relative, the paths in the
    ///     settings are relative too.
    ///   - instanceName: The value of `$(INSTANCE_NAME)`.
    ///   - productVersion: The value of `$(PRODUCT_VERSION)`.
    package static func parse(
        _ bytes: [UInt8], path: String, schema: ConfigurationSchema, instanceName: String = "default",
        productVersion: String = "1"
    ) throws(ConfigurationError) -> LoadedConfiguration {
        let substitutions = Substitutions(
            directory: FilePath.directory(of: path), instanceName: instanceName,
            productVersion: productVersion)
        return try parse(bytes, shownPath: path, schema, substitutions)
    }

    static func parse(
        _ bytes: [UInt8], shownPath path: String, _ schema: ConfigurationSchema,
        _ substitutions: Substitutions
    ) throws(ConfigurationError) -> LoadedConfiguration {
        guard bytes.count <= maximumBytes else {
            throw tooLarge(bytes.count, path)
        }
        let document: DocumentElement
        do {
            document = try XMLReader.root(of: bytes, within: limits)
        } catch {
            let finding = Finding(.error, at: error.position, error.message)
            throw ConfigurationError(cause: .refused, path: path, findings: [finding])
        }
        let written = WrittenSettings(document, schema)
        let assembly = SettingsAssembly(written, substitutions)
        let contradictions = Contradictions(assembly)
        let findings = ordered(written.findings + assembly.findings + contradictions.findings)
        if findings.contains(where: { $0.severity == .error }) {
            throw ConfigurationError(cause: .refused, path: path, findings: findings)
        }
        return LoadedConfiguration(
            path: path, schema: schema, settings: assembly.settings,
            productVersion: substitutions.productVersion, findings: findings,
            notes: (schema.gateways.map { $0.note(assembly) } + [Failover(assembly).note]).compactMap { $0 },
            origins: assembly.rows)
    }

    /// See ``probable(ofRefused:instanceName:productVersion:)``.
    static func probableStore(
        of bytes: [UInt8], _ schema: ConfigurationSchema, _ substitutions: Substitutions
    ) -> StoreConfiguration? {
        let text = String(decoding: bytes.prefix(maximumBytes), as: UTF8.self)
        // A file that is not valid XML as a whole may still contain an intact data source.
        var source = ""
        if let start = text.firstRange(of: "<dataSource"),
            let end = text[start.upperBound...].firstRange(of: "</dataSource>")
        {
            source = String(text[start.lowerBound..<end.upperBound])
        }
        let root = ConfigurationSchema.root
        for text in [
            text, "<\(root)><shared><dataStore>\(source)</dataStore></shared></\(root)>", "<\(root)/>",
        ] {
            guard let document = try? XMLReader.root(of: Array(text.utf8), within: limits) else { continue }
            return SettingsAssembly(WrittenSettings(document, schema), substitutions).settings.store
        }
        return nil
    }

    static func tooLarge(_ bytes: Int, _ path: String) -> ConfigurationError {
        let message = "the file has \(bytes) bytes; the maximum is \(maximumBytes)"
        return ConfigurationError(
            cause: .unreadable, path: path, findings: [Finding(.error, at: nil, message)])
    }

    /// Returns the findings in file order. If there are too many, the least severe ones are left out.
    private static func ordered(_ findings: [Finding]) -> [Finding] {
        let inOrder: (Finding, Finding) -> Bool = {
            ($0.line, $0.column, $0.message) < ($1.line, $1.column, $1.message)
        }
        guard findings.count > maximumFindings else { return findings.sorted(by: inOrder) }
        let kept = findings.sorted {
            $0.severity != $1.severity ? $0.severity > $1.severity : inOrder($0, $1)
        }
        let more = "\(findings.count - maximumFindings) more findings are not shown"
        return kept.prefix(maximumFindings).sorted(by: inOrder) + [Finding(.warning, at: nil, more)]
    }
}
