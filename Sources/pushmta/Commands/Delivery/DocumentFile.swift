internal import PushWire

/// A delivery document as it was named on the command line; `-` is standard input.
struct DocumentFile {
    /// What errors call it.
    let name: String
    let bytes: [UInt8]

    /// - Parameter template: one that it is to be made of; it may name no other.
    init(_ path: String, template: String? = nil) throws {
        let name = path == "-" ? "standard input" : path
        self.name = name
        // A little more than a document may have: the document's own check then says what to do instead.
        let contents = try FileReader.contents(of: path, atMost: 4 * DeliveryDocument.maximumBytes)
        bytes = try template.map { try Self.naming($0, in: contents, name) } ?? contents
    }

    private static func naming(
        _ template: String, in contents: [UInt8], _ name: String
    ) throws(CommandFailure) -> [UInt8] {
        // What cannot be read is refused as what it is, by whoever takes it.
        guard contents.count <= DeliveryDocument.maximumBytes, let value = try? JSONParser.parse(contents)
        else { return contents }
        guard let named = TemplateReference.naming(template, in: value) else {
            throw .refused(
                "\(name): template: the document names another one than --template; leave one of them out")
        }
        var bytes: [UInt8] = []
        named.append(to: &bytes)
        return bytes
    }
}
