internal import PushConfig

/// Finds the path that a client with a misspelled path probably means.
struct KnownPaths: Sendable {
    /// A segment in lower case; `nil` for a named segment, such as `{id}`, which matches any text.
    private typealias Segment = [Character]?
    private struct Known {
        let path: String
        let segments: [Segment]
    }

    /// Unauthenticated clients cause searches, so the size of the requested path is limited.
    private static let maxSegments = 8
    private static let maxSegmentBytes = 64
    private static let maxEdits = 3

    private let all: [Known]

    init(_ paths: some Sequence<String>) {
        all = Set(paths).sorted().map { path in
            let segments = path.split(separator: "/").map { segment -> Segment in
                segment.hasPrefix("{") ? nil : Array(segment.lowercased())
            }
            return Known(path: path, segments: segments)
        }
    }

    /// Returns the known path that differs least from a path: in the case of letters, in a few letters, or in
    /// missing or additional segments at the beginning.
    func nearest(to path: [String]) -> String? {
        guard !path.isEmpty, path.count <= Self.maxSegments,
            path.allSatisfy({ $0.utf8.count <= Self.maxSegmentBytes })
        else { return nil }
        let asked = path.map { Array($0.lowercased()) }
        let found = all.compactMap { known in
            Self.difference(asked, known.segments).map { (difference: $0, path: known.path) }
        }
        return found.min { $0.difference < $1.difference }?.path
    }

    /// Returns the error for a path that does not exist.
    /// - Parameter hasAPI: Whether the listener answers the API.
    func noPath(_ path: [String], hasAPI: Bool = true) -> String {
        guard hasAPI else {
            let advice = nearest(to: path).map { "; the nearest path is \($0)" } ?? ""
            return "this path does not exist on this port, which answers devices only\(advice)"
        }
        let advice = nearest(to: path).map { "the nearest path is \($0); " } ?? ""
        return "this path does not exist; \(advice)GET \(APIRoutes.root)/openapi.json lists the API's paths"
    }

    private static func difference(_ asked: [[Character]], _ known: [Segment]) -> Int? {
        guard asked.count == known.count else {
            return haveSameEnd(asked, known) ? maxEdits + 1 : nil
        }
        var sum = 0
        for (asked, known) in zip(asked, known) {
            guard let known else { continue }
            // Most short words can be turned into each other with a few edits.
            let limit = min(known.count / 3, maxEdits - sum)
            guard abs(asked.count - known.count) <= limit else { return nil }
            let edits = Suggestion.distance(asked, known)
            guard edits <= limit else { return nil }
            sum += edits
        }
        return sum
    }

    /// Reports whether one of the paths is the other one without its first segments. These do not include
    /// named segments.
    private static func haveSameEnd(_ asked: [[Character]], _ known: [Segment]) -> Bool {
        let count = min(asked.count, known.count)
        let end = known.suffix(count)
        guard let first = end.first, first != nil, !known.dropLast(count).contains(nil) else { return false }
        return zip(asked.suffix(count), end).allSatisfy { asked, known in known == nil || asked == known }
    }
}
