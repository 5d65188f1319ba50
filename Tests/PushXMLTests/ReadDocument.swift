import PushXML
import Testing

extension XMLLimits {
    static let usual = XMLLimits(
        bytes: 1 << 20, depth: 64, elements: 300_000, attributesOfElement: 500, bytesOfName: 200,
        bytesOfValue: 100_000)
}

func read(_ text: String, within limits: XMLLimits = .usual) throws -> DocumentElement {
    try XMLReader.root(of: Array(text.utf8), within: limits)
}

/// Returns the error in a document; `nil` if there is none.
func failure(in bytes: [UInt8], within limits: XMLLimits = .usual) -> XMLError? {
    do throws(XMLError) {
        _ = try XMLReader.root(of: bytes, within: limits)
        return nil
    } catch {
        return error
    }
}

/// Returns the bytes of a document in which `‸` marks a position, and that position.
func marked(_ text: String) -> (bytes: [UInt8], place: SourcePosition) {
    let parts = text.split(separator: "‸", omittingEmptySubsequences: false)
    let lines = parts[0].unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    let place = SourcePosition(line: lines.count, column: (lines.last?.count ?? 0) + 1)
    return (Array(parts.joined().utf8), place)
}

/// Expects that a document is refused with this message at its mark.
func expect(
    _ message: String, in text: String, within limits: XMLLimits = .usual,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let (bytes, place) = marked(text)
    let found = failure(in: bytes, within: limits)
    #expect(found?.message == message, sourceLocation: sourceLocation)
    #expect(found?.position == place, sourceLocation: sourceLocation)
}
