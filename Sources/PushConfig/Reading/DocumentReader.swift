internal import Foundation
internal import FoundationXML

/// Bytes → a tree of elements, each with its place. The only lines that know `XMLParser`.
///
/// What the parser is trusted with: well-formedness, encodings, character references. What it is not:
/// - the result of `parse()`, which is true after some errors. The first `parseErrorOccurred` counts; warnings
///   (such as of a prefix without a namespace) come the same way and are refused as well;
/// - to complain at all: it says nothing of a document shorter than four bytes. ``TagScanner`` has seen each tag;
/// - positions of elements: they are those of the tag's end. The scanner's are used.
enum DocumentReader {
    static func read(_ source: SourceText) throws(SourceTrouble) -> DocumentElement {
        let tags = try TagScanner.tags(of: source)
        let builder = TreeBuilder(source, tags)
        let parser = XMLParser(data: Data(source.bytes))
        parser.shouldResolveExternalEntities = false
        parser.shouldProcessNamespaces = false
        parser.delegate = builder
        _ = parser.parse()
        if let trouble = builder.trouble { throw trouble }
        guard let root = builder.root, builder.isComplete else {
            throw SourceTrouble(
                position: source.position(at: source.bytes.count), message: "the document does not end as XML must")
        }
        return root
    }
}

/// Follows the parser's events with the scanner's tags in hand.
private final class TreeBuilder: NSObject, XMLParserDelegate {
    private let source: SourceText
    private let tags: [ScannedTag]
    private var next = 0
    private var open: [DocumentElement] = []
    private(set) var root: DocumentElement?
    private(set) var trouble: SourceTrouble?

    init(_ source: SourceText, _ tags: [ScannedTag]) {
        self.source = source
        self.tags = tags
    }

    var isComplete: Bool { next == tags.count && open.isEmpty }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes values: [String: String]
    ) {
        guard trouble == nil else { return }
        guard next < tags.count, decoded(tags[next].name) == name, values.count == tags[next].attributes.count else {
            return note(parser, "the tag \(quoted(name)) cannot be read")
        }
        let tag = tags[next]
        next += 1
        var element = DocumentElement(name: name, position: source.position(at: tag.offset), attributes: [])
        for attribute in tag.attributes {
            guard let value = values[decoded(attribute.name)] else {
                return note(parser, "attribute \(quoted(attribute.name)) cannot be read")
            }
            element.attributes.append(
                .init(
                    name: decoded(attribute.name), value: value,
                    namePosition: source.position(at: attribute.nameOffset),
                    valuePosition: source.position(at: attribute.valueOffset)))
        }
        open.append(element)
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard trouble == nil, let element = open.popLast() else { return }
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        guard !open.isEmpty, !text.allSatisfy(\.isWhitespace) else { return }
        open[open.count - 1].hasText = true
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        if !open.isEmpty { open[open.count - 1].hasText = true }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        note(parser, XMLErrorText.of(code: (error as NSError).code))
    }

    /// The first trouble is the true one; what follows follows from it.
    private func note(_ parser: XMLParser, _ message: String) {
        guard trouble == nil else { return }
        let position = SourcePosition(line: max(1, parser.lineNumber), column: max(1, parser.columnNumber))
        trouble = SourceTrouble(position: position, message: message)
    }

    private func decoded(_ name: ArraySlice<UInt8>) -> String {
        source.encoding == .utf8
            ? String(decoding: name, as: UTF8.self)
            : String(bytes: name, encoding: .windowsCP1252) ?? String(decoding: name, as: UTF8.self)
    }
}
