import PushModel
import PushWire
import Testing

@Suite struct ForeignFileTests {
    private static let files: [(start: [UInt8], words: String)] = [
        ([0x50, 0x4B, 0x03, 0x04], "a workbook (.xlsx, .ods) or another ZIP archive"),
        ([0xD0, 0xCF, 0x11, 0xE0], "a workbook (.xls)"),
        (Array("%PDF-1.7".utf8), "a PDF document"),
        ([0x1F, 0x8B], "compressed with gzip"),
        ([0xFF, 0xFE], "UTF-16"), ([0xFE, 0xFF], "UTF-16"),
    ]

    /// Returns the error for a file with the given beginning.
    private static func error(
        of start: [UInt8], piece: Int, feed: (ArraySlice<UInt8>) throws -> Void, finish: () throws -> Void
    ) -> String? {
        let bytes = start + Array("\u{14}, userKey\nab\n".utf8)
        do {
            for place in stride(from: 0, to: bytes.count, by: piece) {
                try feed(bytes[place..<min(place + piece, bytes.count)])
            }
            try finish()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: SubscriberFormat.allCases, [1, 3, 1_000])
    func `a subscriber file that is not text is refused with a statement of what it is`(
        format: SubscriberFormat, piece: Int
    ) {
        for (start, words) in Self.files {
            var file = SubscriberFile(format, platform: .ios, declared: [])
            var batch = SubscriberBatch()
            let error = Self.error(of: start, piece: piece) {
                try file.feed(Array($0).span, into: &batch)
            } finish: {
                try file.finish(into: &batch)
            }
            #expect(error?.hasPrefix("line 1: the file is \(words)") == true, "\(error ?? "none")")
            #expect(batch == SubscriberBatch())
        }
    }

    @Test(arguments: [RecipientFile.Form.userKeys, .table], [1, 3, 1_000])
    func `a file of recipients that is not text is refused with a statement of what it is`(
        form: RecipientFile.Form, piece: Int
    ) {
        for (start, words) in Self.files {
            var file = RecipientFile(form)
            var recipients: [ListedRecipient] = []
            let error = Self.error(of: start, piece: piece) {
                try file.feed(Array($0), into: &recipients)
            } finish: {
                try file.finish(into: &recipients)
            }
            #expect(error?.hasPrefix("line 1: the file is \(words)") == true, "\(error ?? "none")")
            #expect(recipients.isEmpty)
        }
    }

    @Test func `a workbook and UTF-16 are refused with a description of the export`() {
        var file = RecipientFile(.table)
        var recipients: [ListedRecipient] = []
        let error = #expect(throws: WireError.self) {
            try file.feed([0x50, 0x4B, 0x03, 0x04, 0x14], into: &recipients)
        }
        #expect(
            error?.description
                == """
                line 1: the file is a workbook (.xlsx, .ods) or another ZIP archive, not text; open it in \
                the spreadsheet program and save the sheet as CSV in UTF-8 (in Excel: "CSV UTF-8")
                """)
    }
}
