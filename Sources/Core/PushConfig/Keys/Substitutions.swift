/// What `$(NAME)` stands for in a value.
///
/// Relative paths become `$(XTK_INSTALL_DIR)/…` first: both mean the folder of the file. Values that were put
/// in are not looked through again.
struct Substitutions {
    private let values: [(name: String, value: String)]
    let productVersion: String

    init(directory: String, instanceName: String, productVersion: String) {
        values = [
            (Self.directoryName, directory), ("INSTANCE_NAME", instanceName),
            ("PRODUCT_VERSION", productVersion),
        ]
        self.productVersion = productVersion
    }

    /// A path as it was written, made to start at the root or at the file's folder.
    static func anchored(_ path: String) -> String {
        path.hasPrefix("/") || path.hasPrefix("$(\(directoryName))") ? path : "$(\(directoryName))/\(path)"
    }

    /// The text with its values put in, or what is wrong with it.
    func expand(_ text: String) -> Result<String, Unknown> {
        var expanded = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "$(") {
            expanded += rest[..<open.lowerBound]
            guard let close = rest[open.upperBound...].firstIndex(of: ")") else {
                return .failure(Unknown(text: String(rest[open.lowerBound...]), known: known))
            }
            let name = rest[open.upperBound..<close]
            guard let found = values.first(where: { $0.name == name }) else {
                return .failure(Unknown(text: String(rest[open.lowerBound...close]), known: known))
            }
            expanded += found.value
            rest = rest[rest.index(after: close)...]
        }
        return .success(expanded + rest)
    }

    struct Unknown: Error, Equatable {
        var text: String
        var known: String
    }

    private static let directoryName = "XTK_INSTALL_DIR"
    private var known: String { values.map { "$(\($0.name))" }.joined(separator: ", ") }
}

/// Paths as texts: the pure part of what a file system does with them.
enum FilePath {
    /// The folder that a file lies in; `.` for a bare name.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Without doubled and trailing slashes and steps to where one is. `..` stays: what it means is for links
    /// to say.
    static func tidied(_ path: String) -> String {
        let steps = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        if path.hasPrefix("/") { return "/" + steps }
        return steps.isEmpty ? "." : steps
    }
}
