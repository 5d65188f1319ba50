internal import PushWire

/// A delivery document as it was named on the command line; `-` is standard input.
struct DocumentFile {
    /// What errors call it.
    let name: String
    let bytes: [UInt8]

    init(_ path: String) throws {
        name = path == "-" ? "standard input" : path
        // A little more than a document may have: the document's own check then says what to do instead.
        bytes = try FileReader.contents(of: path, atMost: 4 * DeliveryDocument.maximumBytes)
    }
}
