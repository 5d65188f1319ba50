internal import PushModel
internal import PushOperations
internal import PushSystem
internal import PushWire

/// A file of recipients as it was named on the command line, and what a person sees while it is read.
struct RecipientsFile {
    let path: String
    let form: RecipientFile.Form

    /// How often a person who waits for a pipe's other end is heard.
    private static let patienceMilliseconds: Int32 = 250

    /// - Parameter body: is given what the use case wants.
    func read<Answer>(
        _ document: DocumentFile, once key: String? = nil,
        _ body: (
            SubmitFromFile, Watch<SubmitFromFile.Progress>, _ read: (Int) throws -> [UInt8]
        ) throws -> Answer
    ) throws -> Answer {
        var reader = try FileReader(path: path)
        let order = SubmitFromFile(
            document: document.bytes, documentName: document.name, form: form, fileName: reader.name,
            caller: "command", idempotencyKey: key)
        var line = ProgressLine()
        var bytesRead = 0
        let totalBytes = reader.totalBytes
        defer { line.clear() }
        return try Interruption.heard(
            { isInterrupted in
                try body(
                    order,
                    Watch(
                        report: { done in line.show { Self.words(done, bytesRead, of: totalBytes) } },
                        isCancelled: isInterrupted),
                    { limit in
                        while !reader.hasBytes(withinMilliseconds: Self.patienceMilliseconds),
                            !isInterrupted()
                        {}
                        // What has come of the last line is not the end of the file.
                        guard !isInterrupted() else { throw OperationError(.cancelled, "interrupted") }
                        let bytes = try reader.read(upTo: limit)
                        bytesRead += bytes.count
                        return bytes
                    })
            }, lastWord: { "interrupted: nothing was submitted" })
    }

    private static func words(
        _ done: SubmitFromFile.Progress, _ bytesRead: Int, of totalBytes: Int?
    ) -> String {
        switch done {
        case .read(let count):
            let share = totalBytes.flatMap { $0 > 0 ? ", \(min(100, bytesRead * 100 / $0)) % read" : nil }
            return Numerals.count(count, "recipient") + (share ?? "")
        case .sorting: return "sorting"
        case .storing: return "storing"
        }
    }
}
