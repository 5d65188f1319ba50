import PushAPI
import PushModel
import PushStore
import PushWire

extension TestInstance {
    /// Imports a CSV file into app `ios`.
    /// - Returns: The counts, and the lines of the rows that were rejected.
    func imported(
        _ text: String, _ format: SubscriberFormat = .csv, inPiecesOf size: Int = 7, lifting: Bool = false,
        watchedBy watch: Watch<ImportedSubscribers> = Watch()
    ) async throws -> (ImportedSubscribers, rejected: [Int]) {
        var rest = Array(text.utf8)[...]
        var rejected: [Int] = []
        let counts = try await ImportSubscribers(app: "ios", liftsQuarantine: lifting)
            .perform(
                in: operations, format, fileName: "list.csv", watchedBy: watch,
                read: { limit in
                    let piece = Array(rest.prefix(min(limit, size)))
                    rest = rest.dropFirst(piece.count)
                    return piece
                },
                reject: { rejected += $0.map(\.line) })
        return (counts, rejected)
    }
}
