/// What is remembered of a v1 request until its ending, in the sixty-four bits that a request has room for.
struct FCMMark: Equatable {
    private(set) var raw: UInt64

    private enum Bit {
        static let countWidth: UInt64 = 24
        static let startWidth: UInt64 = 32
        static let isToken: UInt64 = 1 << 56
        static let validateOnly: UInt64 = 1 << 57
    }

    init(raw: UInt64) { self.raw = raw }

    /// `token` is a part of `body`.
    init(token: Bytes, in body: Bytes, isToken: Bool, validateOnly: Bool) {
        raw = (isToken ? Bit.isToken : 0) | (validateOnly ? Bit.validateOnly : 0)
        guard let start = token.baseAddress, let base = body.baseAddress else { return }
        raw |= UInt64(start - base) << Bit.countWidth | UInt64(token.count)
    }

    var isToken: Bool { raw & Bit.isToken != 0 }
    var validateOnly: Bool { raw & Bit.validateOnly != 0 }

    /// The target; empty where the request never got so far.
    func token(in body: Bytes) -> Bytes {
        let count = Int(raw & (1 << Bit.countWidth - 1))
        let start = Int(raw >> Bit.countWidth & (1 << Bit.startWidth - 1))
        guard start + count <= body.count else { return Bytes(start: nil, count: 0) }
        return Bytes(rebasing: body[start..<(start + count)])
    }
}
