/// The fields that every connection knows from the start (RFC 7541, appendix A).
enum HPACKStaticTable {
    /// The field of index 1 comes first.
    private static let text: [(name: String, value: String)] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
        (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
        (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"),
        ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
        ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""),
        ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""),
        ("content-language", ""),
        ("content-length", ""), ("content-location", ""), ("content-range", ""), ("content-type", ""),
        ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""),
        ("host", ""), ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
        ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""),
        ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""),
        ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""), ("set-cookie", ""),
        ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""),
        ("via", ""), ("www-authenticate", ""),
    ]

    static let fields = text.map { (name: Array($0.name.utf8), value: Array($0.value.utf8)) }

    static func index(of name: [UInt8], _ value: [UInt8]) -> Int? {
        fields.firstIndex { $0.name == name && $0.value == value }.map { $0 + 1 }
    }
    static func index(of name: [UInt8]) -> Int? { fields.firstIndex { $0.name == name }.map { $0 + 1 } }
}
