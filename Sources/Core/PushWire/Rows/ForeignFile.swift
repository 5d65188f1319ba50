/// A file that is not text in UTF-8, which its first bytes show.
enum ForeignFile {
    /// The number of bytes that are enough to recognise a file.
    static let recognisableBytes = 4

    private static let export =
        #"open it in the spreadsheet program and save the sheet as CSV in UTF-8 (in Excel: "CSV UTF-8")"#

    private static let kinds: [(start: [UInt8], problem: String)] = [
        (
            [0x50, 0x4B, 0x03, 0x04],
            "the file is a workbook (.xlsx, .ods) or another ZIP archive, not text; \(export)"
        ),
        ([0xD0, 0xCF, 0x11, 0xE0], "the file is a workbook (.xls), not text; \(export)"),
        (
            Array("%PDF".utf8),
            "the file is a PDF document, not text; export the table as CSV in UTF-8 from the program that "
                + "created the document"
        ),
        ([0x1F, 0x8B], "the file is compressed with gzip; decompress it with gunzip"),
        ([0xFF, 0xFE], utf16), ([0xFE, 0xFF], utf16),
    ]

    private static let utf16 = #"the file is UTF-16; save it as UTF-8 (in Excel: "CSV UTF-8")"#

    /// Returns why a file cannot be read, and what to do; `nil` if it may be text in UTF-8.
    /// - Parameter bytes: The beginning of the file.
    static func problem(of bytes: [UInt8]) -> String? {
        kinds.first { bytes.starts(with: $0.start) }?.problem
    }
}
