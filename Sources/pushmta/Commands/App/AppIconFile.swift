internal import PushModel
internal import PushOperations

/// A picture that was named on the command line; `-` is standard input.
enum AppIconFile {
    static func image(path: String) throws(CommandFailure) -> AppIconImage {
        // What is a little too large is refused with what to do.
        AppIconImage(png: try FileReader.contents(of: path, atMost: 2 * AppIcon.maximumBytes))
    }
}
