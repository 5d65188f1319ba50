import PushConfig
import PushConnectors
import Testing

/// A document in which `‸` marks the place of an expected finding.
struct MarkedDocument {
    let bytes: [UInt8]
    /// The line of the mark; 0 if there is no mark.
    private(set) var line = 0
    private(set) var column = 0

    init(_ marked: String) {
        let parts = marked.split(separator: "‸", omittingEmptySubsequences: false)
        bytes = Array(parts.joined().utf8)
        guard parts.count == 2 else { return }
        let before = parts[0].unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        line = before.count
        column = (before.last?.count ?? 0) + 1
    }
}

/// Returns the settings, or the error as a value.
func parsed(_ text: String, path: String = "/etc/push/serverConf.xml") -> Result<
    LoadedConfiguration, ConfigurationError
> {
    parsed(bytes: Array(text.utf8), path: path)
}

func parsed(
    bytes: [UInt8], path: String = "/etc/push/serverConf.xml"
) -> Result<LoadedConfiguration, ConfigurationError> {
    do {
        return .success(try ConfigurationFile.parse(bytes, path: path, schema: ConnectorCatalogue.settings))
    } catch {
        return .failure(error)
    }
}

/// Returns the error for a document; `nil` if there is none.
func refusal(of text: String, path: String = "/etc/push/serverConf.xml") -> ConfigurationError? {
    refusal(ofBytes: Array(text.utf8), path: path)
}

func refusal(ofBytes bytes: [UInt8], path: String = "/etc/push/serverConf.xml") -> ConfigurationError? {
    if case .failure(let error) = parsed(bytes: bytes, path: path) { error } else { nil }
}

/// Returns all findings, whether the document is accepted or refused.
func findings(_ text: String) -> [Finding] {
    switch parsed(text) {
    case .success(let loaded): loaded.findings
    case .failure(let error): error.findings
    }
}

/// Expects exactly one finding, with this message, at the mark.
func expect(
    _ severity: Finding.Severity, _ message: String, in marked: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let document = MarkedDocument(marked)
    let found: [Finding]
    switch parsed(bytes: document.bytes) {
    case .success(let loaded):
        #expect(severity != .error, "the document was accepted", sourceLocation: sourceLocation)
        found = loaded.findings
    case .failure(let error):
        #expect(severity == .error, "the document was refused: \(error)", sourceLocation: sourceLocation)
        found = error.findings
    }
    let expected = Finding(severity, line: document.line, column: document.column, message: message)
    #expect(found == [expected], sourceLocation: sourceLocation)
}

/// Returns a document with one element at its proper place, with these attributes.
func document(_ element: String, _ attributes: String) -> String {
    var steps = element.split(separator: "/").map { String($0) }
    let last = steps.popLast() ?? ""
    let opening = steps.map { "<\($0)>" }.joined(), closing = steps.reversed().map { "</\($0)>" }.joined()
    return "<serverConf>\n \(opening)<\(last) \(attributes)/>\(closing)\n</serverConf>"
}
