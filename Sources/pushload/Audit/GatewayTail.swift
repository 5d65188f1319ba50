/// A log of the sink that is read while it grows: each time what has come since.
struct GatewayTail {
    enum Gateway { case apns, fcm }

    private static let longestPiece = 32 << 20
    private let file: String
    private let gateway: Gateway
    private var offset = 0
    private var header: [UInt8] = []

    init(_ file: String, of gateway: Gateway) {
        self.file = file
        self.gateway = gateway
    }

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
        guard !lines.isEmpty else { return [] }
        switch gateway {
        case .apns: return try GatewayRequest.parse(header + lines, file: file)
        case .fcm: return try GatewayRequest.parse(fcmLog: header + lines, file: file)
        }
    }
}
