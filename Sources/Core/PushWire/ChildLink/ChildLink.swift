/// Everything a master and a child agree on before the first byte.
///
/// The link is one non-blocking stream socket pair. Each frame is `u32 length · u8 kind · payload`, the
/// length counting kind and payload; integers are little-endian, texts and byte strings carry their length in
/// front. Orders go down (``LinkOrder``), reports come up (``LinkReport``). Both ends are the same binary of
/// the same build, so a frame that does not parse is a fault of the link and ends it.
package enum ChildLink {
    /// Raised with every change of a frame's layout; ends that differ part at once.
    package static let version: UInt8 = 9
    /// Where a child finds its end of the socket pair.
    package static let descriptor: Int32 = 3
    /// Where a child finds the open file whose shared lock says that it lives.
    package static let lockDescriptor: Int32 = 4
    /// Longer frames are believed to be garbage. The largest grant fits, with the longest tokens and
    /// parameters.
    package static let maximumFrameBytes = 128 << 20
    /// Outcomes that one report may hold: what the store records in one transaction, with room to spare.
    package static let maximumOutcomes = 4_000
    /// How often a child speaks when it has nothing to say.
    package static let heartbeatSeconds: Int64 = 1
    /// Silence after which a child counts as wedged.
    package static let silenceSeconds: Int64 = 20
}

/// What a frame is. Orders are below 100, reports above.
package enum LinkFrameKind: UInt8, Sendable {
    case welcome = 1
    case account = 2
    case job = 3
    case grant = 4
    case drain = 5
    case retireJob = 6
    case recall = 7
    case retireAccount = 8
    case pollFeedback = 9
    case clockJumped = 10
    case withdraw = 11
    case lease = 12
    case resume = 13

    case hello = 101
    case outcomes = 102
    case heartbeat = 103
    case accountNews = 104
    case renamed = 105
    case feedback = 106
    case feedbackEnded = 107
    case withdrawn = 108
}

/// Why a link cannot go on.
package enum LinkError: Error, Equatable, CustomStringConvertible {
    case frameTooLong(bytes: Int)
    case unknownKind(UInt8)
    case truncated(LinkFrameKind)
    case badValue(LinkFrameKind)
    case versionMismatch(theirs: UInt8)

    package var description: String {
        switch self {
        case .frameTooLong(let bytes): "a frame of \(bytes) bytes is longer than the link allows"
        case .unknownKind(let kind): "a frame of unknown kind \(kind)"
        case .truncated(let kind): "a \(kind) frame ends too early"
        case .badValue(let kind): "a \(kind) frame holds an impossible value"
        case .versionMismatch(let theirs):
            "the other end speaks version \(theirs) of the link, this one \(ChildLink.version): restart the service"
        }
    }
}
