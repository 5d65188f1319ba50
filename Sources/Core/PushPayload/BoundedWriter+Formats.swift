internal import PushModel

/// Writes numbers and dates in a language's format, byte by byte and without allocation.
extension BoundedWriter {
    /// - Parameter value: The value as it is spelled in a JSON string.
    /// - Returns: `false` if the value does not have this format, in which case nothing was written.
    @unsafe mutating func write(
        _ value: UnsafeRawBufferPointer, as format: ValueFormat, of language: LanguageFormat
    ) -> Bool {
        switch format {
        case .number(let decimals):
            guard let number = unsafe FormattedNumber(value) else { return false }
            write(number, decimals: decimals ?? number.decimals, of: language)
        case .date(let style):
            guard let date = unsafe FormattedDate(value) else { return false }
            for piece in language.pieces(style) { write(piece, of: date, language) }
        case .url:
            var text = unsafe EscapedText(value)
            while let byte = text.next() { write(percentEncoding: byte) }
        }
        return true
    }

    private mutating func write(percentEncoding byte: UInt8) {
        guard !PercentEncoding.isUnreserved(byte) else { return write(byte: byte) }
        write(byte: UInt8(ascii: "%"))
        write(byte: PercentEncoding.hexDigit(byte >> 4))
        write(byte: PercentEncoding.hexDigit(byte & 15))
    }

    private mutating func write(_ number: FormattedNumber, decimals: Int, of language: LanguageFormat) {
        let rounded = RoundedNumber(number, decimals: decimals)
        if rounded.isNegative { write(language.minus) }
        let digits = rounded.wholeDigits
        for place in 0..<digits {
            write(byte: rounded.digit(place))
            let left = digits - place - 1
            // Three digits before the decimal mark, then groups of the language's size.
            if digits >= language.groupedFrom, left >= 3, (left - 3).isMultiple(of: language.groupDigits) {
                write(language.group)
            }
        }
        guard decimals > 0 else { return }
        write(language.decimal)
        for place in digits..<digits + decimals { write(byte: rounded.digit(place)) }
    }

    private mutating func write(
        _ piece: LanguageFormat.DatePiece, of date: FormattedDate, _ language: LanguageFormat
    ) {
        switch piece {
        case .literal(let bytes): write(bytes)
        case .day(let isPadded): write(date.day, isPadded: isPadded)
        case .month(let isPadded): write(date.month, isPadded: isPadded)
        case .name: write(language.names[date.month - 1])
        case .shortName: write(language.shortNames[date.month - 1])
        case .year: write(digitsOf: Int64(date.year))
        case .shortYear: write(date.year % 100, isPadded: true)
        }
    }

    private mutating func write(_ number: Int, isPadded: Bool) {
        if isPadded, number < 10 { write(byte: UInt8(ascii: "0")) }
        write(digitsOf: Int64(number))
    }
}

/// A decimal number as text: `-1234.50`. It is valid only during the call that receives its bytes.
@safe struct FormattedNumber {
    let isNegative: Bool
    /// The number of digits after the point.
    let decimals: Int
    /// The number of digits before the point, without leading zeros; at least one.
    let wholeDigits: Int
    /// The digits before the point, and the digits after it.
    private let whole: UnsafeRawBufferPointer
    private let fraction: UnsafeRawBufferPointer

    /// The maximum length of a number.
    static let maxDigits = 60

    /// Unsafe because only the caller knows the bytes.
    /// - Returns: `nil` if the text is not a number, or is longer than ``maxDigits``.
    @unsafe init?(_ text: UnsafeRawBufferPointer) {
        let sign = unsafe text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+") ? 1 : 0
        unsafe isNegative = sign == 1 && text[0] == UInt8(ascii: "-")
        var point: Int?
        for index in sign..<max(sign, text.count) {
            switch unsafe text[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: ".") where point == nil: point = index
            default: return nil
            }
        }
        let end = point ?? text.count
        guard end > sign, point != text.count - 1, text.count <= Self.maxDigits else { return nil }
        var first = sign
        while first < end - 1, unsafe text[first] == UInt8(ascii: "0") { first += 1 }
        unsafe whole = UnsafeRawBufferPointer(rebasing: text[first..<end])
        unsafe fraction = UnsafeRawBufferPointer(rebasing: text[min(end + 1, text.count)...])
        wholeDigits = unsafe whole.count
        decimals = unsafe fraction.count
    }

    /// Returns the value of the digit at a place, with the number's first digit at place 0. After the last
    /// digit, all values are zero.
    func digit(_ place: Int) -> UInt8 {
        let behind = place - wholeDigits
        if behind < 0 { return unsafe whole[place] - UInt8(ascii: "0") }
        return behind < decimals ? unsafe fraction[behind] - UInt8(ascii: "0") : 0
    }
}

/// A number rounded to the given number of decimals, with halves rounded away from zero.
struct RoundedNumber {
    let isNegative: Bool
    let wholeDigits: Int
    private let number: FormattedNumber
    /// The place of the digit that is increased by one. Nines after it become zeros. `nil` if no digit
    /// changes.
    private let raised: Int?
    /// 1 if all kept digits are nines, so that a one is added before them; otherwise 0.
    private let shift: Int

    init(_ number: FormattedNumber, decimals: Int) {
        self.number = number
        let kept = number.wholeDigits + decimals
        var raised: Int?
        if number.digit(kept) >= 5 {
            var place = kept - 1
            while place >= 0, number.digit(place) == 9 { place -= 1 }
            raised = place
        }
        self.raised = raised
        shift = raised == -1 ? 1 : 0
        wholeDigits = number.wholeDigits + shift
        // Zero has no minus sign.
        let isZero = raised == nil && (0..<kept).allSatisfy { number.digit($0) == 0 }
        isNegative = number.isNegative && !isZero
    }

    /// Returns the digit at a place as ASCII, with the first digit at place 0.
    func digit(_ place: Int) -> UInt8 {
        let own = place - shift
        var value: UInt8 = own < 0 ? 0 : number.digit(own)
        if let raised, own >= raised { value = own == raised ? value + 1 : 0 }
        return UInt8(ascii: "0") + value
    }
}

/// The day of a date in ISO 8601 format: `2026-11-21`. A time of day may follow and is ignored.
struct FormattedDate {
    let year: Int
    let month: Int
    let day: Int

    /// Unsafe because only the caller knows the bytes.
    /// - Returns: `nil` if the text is not a date.
    @unsafe init?(_ text: UnsafeRawBufferPointer) {
        guard let year = unsafe Self.number(text, 0..<4), let month = unsafe Self.number(text, 5..<7),
            let day = unsafe Self.number(text, 8..<10), unsafe text[4] == UInt8(ascii: "-"),
            unsafe text[7] == UInt8(ascii: "-"), year > 0, (1...12).contains(month),
            day > 0, day <= Self.days(of: month, year), unsafe Self.isTime(text)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    private static func days(of month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Reports whether nothing follows the day, or hours and minutes follow it. Seconds, fractions of a
    /// second and a zone may follow the minutes and are not checked further.
    @unsafe private static func isTime(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.count == 10 { return true }
        guard unsafe text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: " "),
            let hour = unsafe number(text, 11..<13), let minute = unsafe number(text, 14..<16),
            unsafe text[13] == UInt8(ascii: ":"), hour < 24, minute < 60
        else { return false }
        for index in 16..<text.count {
            switch unsafe text[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "."),
                UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "Z"):
                break
            default: return false
            }
        }
        return true
    }

    @unsafe private static func number(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        guard text.count >= range.upperBound else { return nil }
        var number = 0
        for index in range {
            let digit = unsafe Int(text[index]) - 0x30
            guard (0...9).contains(digit) else { return nil }
            number = number * 10 + digit
        }
        return number
    }
}
