/// The texts that all pages with a password share.
extension Phrase {
    static let samePassword = Phrase("The same password again", "Dasselbe Passwort noch einmal")
    static let passwordHint = Phrase(
        "At least 12 characters. Several words are easy to remember.",
        "Mindestens 12 Zeichen. Mehrere Wörter sind leicht zu merken.")
    static let passwordsDiffer = Phrase(
        "The two passwords differ. Enter the same password in both fields.",
        "Die beiden Passwörter sind verschieden. Geben Sie in beiden Feldern dasselbe ein.")
    static let wrongPassword = Phrase("The password is wrong.", "Das Passwort ist falsch.")
    static func tooManyPasswords(_ seconds: Int) -> Phrase {
        let duration = Formats.durationAfterPreposition(seconds: seconds)
        return Phrase(
            "There were too many wrong passwords. Try again in \(duration).",
            "Es gab zu viele falsche Passwörter. Versuchen Sie es in \(duration) erneut.")
    }
}
