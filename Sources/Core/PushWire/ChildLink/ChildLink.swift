/// Everything that a master and a child must agree on before they exchange the first byte.
///
/// The link is one non-blocking stream socket pair. Each frame is `u32 length · u8 kind · payload`, where the
/// length includes kind and payload. Integers are little-endian; texts and byte strings are preceded by their
/// length. The master sends orders (``LinkOrder``), the child sends reports (``LinkReport``). Both ends run
/// the same build of the same binary, so a frame that cannot be parsed means that the link is faulty, and the
/// link is closed.
package enum ChildLink {
    /// The version of the frame layouts. It is incremented whenever a layout changes. If the two ends have
    /// different versions, they disconnect immediately.
    package static let version: UInt8 = 10
    /// The child's file descriptor for its end of the socket pair.
    package static let descriptor: Int32 = 3
    /// The child's file descriptor for an open file. The shared lock on this file shows that the child is
    /// alive.
    package static let lockDescriptor: Int32 = 4
    /// Maximum length of a frame, in bytes. A longer frame is treated as garbage. Even the largest grant,
    /// with the longest tokens and parameters, is shorter.
    package static let maximumFrameBytes = 128 << 20
    /// Maximum number of outcomes in one report: the number that the store records in one transaction, with a
    /// margin.
    package static let maximumOutcomes = 4_000
    /// The interval between a child's heartbeats.
    package static let heartbeatSeconds: Int64 = 1
    /// If the master receives nothing from a child for this long, it considers the child wedged.
    package static let silenceSeconds: Int64 = 20
}

/// The kind of a frame. Orders are below 100, reports above.
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

/// The reason why a link cannot continue.
package enum LinkError: Error, Equatable, CustomStringConvertible {
    case frameTooLong(bytes: Int)
    case unknownKind(UInt8)
    case truncated(LinkFrameKind)
    case badValue(LinkFrameKind)
    case versionMismatch(theirs: UInt8)

    package var description: String {
        switch self {
        case .frameTooLong(let bytes): "a frame of \(bytes) bytes exceeds the link's limit"
        case .unknownKind(let kind): "a frame of unknown kind \(kind)"
        case .truncated(let kind): "a \(kind) frame is truncated"
        case .badValue(let kind): "a \(kind) frame contains an invalid value"
        case .versionMismatch(let theirs):
            """
            the peer uses version \(theirs) of the link, this process uses \(ChildLink.version): restart \
            the service
            """
        }
    }
}
