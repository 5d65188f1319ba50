extension String {
    /// As a shell takes it for one word: in quotation marks where that is needed.
    package var quotedForShell: String {
        let plain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        return plain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}
