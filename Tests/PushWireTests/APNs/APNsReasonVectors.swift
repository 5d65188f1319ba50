import Foundation

/// The rows of `Vectors/provider-reasons.csv`, read without our own CSV code: the table must match the file
/// itself, not our reading of it.
struct APNsReasonVectors {
    /// The values of each row, keyed by column name.
    let rows: [[String: String]]

    init(provider: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Vectors/provider-reasons.csv").standardized
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(Self.cells)
        let header = lines[0]
        rows = lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(header, $0)) }
            .filter { $0["provider"] == provider }
    }

    private static func cells(_ line: Substring) -> [String] {
        // Every second piece between quotation marks is quoted. Two consecutive marks leave an empty piece
        // between them.
        var cells = [""]
        for (index, piece) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                cells[cells.count - 1] += piece
            } else {
                let parts = piece.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                cells[cells.count - 1] += parts[0]
                cells += parts.dropFirst()
            }
        }
        return cells
    }
}
