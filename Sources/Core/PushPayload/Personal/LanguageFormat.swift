internal import PushModel

/// How one language writes numbers and dates: a row of the table in `LanguageFormat+Table`, ready to be written
/// from. Digits are those of ASCII, and years those of the Gregorian calendar, in all of them.
struct LanguageFormat: Equatable, Sendable {
    enum DatePiece: Equatable, Sendable {
        case literal([UInt8])
        /// With two digits, or with as many as it has.
        case day(isPadded: Bool)
        case month(isPadded: Bool)
        /// The month's name.
        case name, shortName
        case year
        /// Its last two digits.
        case shortYear
    }

    /// Between groups of digits.
    var group: [UInt8] = []
    var decimal: [UInt8] = [UInt8(ascii: ".")]
    var minus: [UInt8] = [UInt8(ascii: "-")]
    /// Digits that a number has at least before they are put in groups: some languages write 1234 and 12.345.
    var groupedFrom = Int.max
    /// Digits of the groups before the last, which has three.
    var groupDigits = 3
    /// By ``ValueFormat/DateStyle``.
    var short: [DatePiece]
    var medium: [DatePiece]
    var long: [DatePiece]
    /// Twelve each.
    var shortNames: [[UInt8]] = []
    var names: [[UInt8]] = []

    func pieces(_ style: ValueFormat.DateStyle) -> [DatePiece] {
        switch style {
        case .short: short
        case .medium: medium
        case .long: long
        }
    }

    /// For devices that say no language, or one that is not in the table: digits without groups behind a point,
    /// and the date as ISO 8601 has it.
    static let neutral = LanguageFormat(
        short: pieces(of: "y-MM-dd"), medium: pieces(of: "y-MM-dd"), long: pieces(of: "y-MM-dd"))

    /// A pattern of CLDR: `d`, `dd`, `M`, `MM`, `MMM`, `MMMM`, `y` and `yy`; all else as it stands, letters
    /// between quotes.
    static func pieces(of pattern: String) -> [DatePiece] {
        var pieces: [DatePiece] = []
        var literal: [UInt8] = []
        var isQuoted = false
        var rest = Array(pattern.utf8)[...]
        while let byte = rest.first {
            let run = isQuoted ? 1 : rest.prefix { $0 == byte }.count
            let piece: DatePiece? =
                switch (byte, run) {
                case _ where isQuoted: nil
                case (UInt8(ascii: "d"), _): .day(isPadded: run > 1)
                case (UInt8(ascii: "M"), 1...2): .month(isPadded: run > 1)
                case (UInt8(ascii: "M"), 3): .shortName
                case (UInt8(ascii: "M"), _): .name
                case (UInt8(ascii: "y"), 2): .shortYear
                case (UInt8(ascii: "y"), _): .year
                default: nil
                }
            if let piece {
                if !literal.isEmpty { pieces.append(.literal(literal)) }
                literal = []
                pieces.append(piece)
                rest = rest.dropFirst(run)
            } else {
                if byte == UInt8(ascii: "'") { isQuoted.toggle() } else { literal.append(byte) }
                rest = rest.dropFirst()
            }
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        return pieces
    }
}

/// The languages whose formats are known.
struct LanguageFormats: Equatable, Sendable {
    /// The neutral one first.
    let formats: [LanguageFormat]
    private let table: LanguageTable

    static let all = LanguageFormats(LanguageFormat.table)

    /// - Parameter language: as a device said it.
    @unsafe func place(of language: UnsafeRawBufferPointer) -> Int {
        unsafe table.place(of: language) ?? 0
    }

    /// Rows are apart by an empty line. Each has tags and marks, date patterns, and names of months where they are
    /// not those of the language as a whole, which comes first.
    init(_ text: String) {
        var formats = [LanguageFormat.neutral]
        var tags: [(tag: LanguageTag, place: Int)] = []
        var whole = LanguageFormat.neutral
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for row in lines.split(whereSeparator: \.isEmpty) {
            let cells = row.map { line in
                line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false).map(Array.init)
            }
            guard let (names, format) = Self.read(cells, whole) else { continue }
            if names.first?.text.contains("-") == false { whole = format }
            tags += names.map { ($0, formats.count) }
            formats.append(format)
        }
        self.formats = formats
        table = LanguageTable(tags)
    }

    /// - Parameter whole: the language that a region's row stands below.
    private static func read(
        _ cells: [[[UInt8]]], _ whole: LanguageFormat
    ) -> (names: [LanguageTag], format: LanguageFormat)? {
        guard cells.count >= 2, cells[0].count == 6, cells[1].count == 3 else { return nil }
        func text(_ line: Int, _ cell: Int) -> String { String(decoding: cells[line][cell], as: UTF8.self) }
        var format = LanguageFormat(
            group: cells[0][1], decimal: cells[0][2], minus: cells[0][3],
            groupedFrom: Int(text(0, 4)) ?? .max, groupDigits: Int(text(0, 5)) ?? 3,
            short: LanguageFormat.pieces(of: text(1, 0)), medium: LanguageFormat.pieces(of: text(1, 1)),
            long: LanguageFormat.pieces(of: text(1, 2)), shortNames: whole.shortNames, names: whole.names)
        if cells.count == 4 { (format.shortNames, format.names) = (cells[2], cells[3]) }
        return (text(0, 0).split(separator: " ").compactMap { LanguageTag(String($0)) }, format)
    }
}
