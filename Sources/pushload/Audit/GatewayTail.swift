/// A log of the sink that is read while it grows: each time what has come since.
struct GatewayTail {
    private static let longestPiece = 32 << 20
    private let file: String
    private var offset = 0
    private var header: [UInt8] = []

    init(_ file: String) { self.file = file }

    /// The requests whose lines are whole, in their order; of a long log, as many as fit in some megabytes.
    mutating func next() throws(LoadError) -> [GatewayRequest] {
        let fresh = try Folder.read(file, from: offset, limit: Self.longestPiece)
        guard let end = fresh.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        var lines = fresh[...end]
        offset += lines.count
        if header.isEmpty, let first = lines.firstIndex(of: UInt8(ascii: "\n")) {
            header = Array(lines[...first])
            lines = lines[(first + 1)...]
        }
        return lines.isEmpty ? [] : try GatewayRequest.parse(header + lines, file: file)
    }
}
