import Glibc
import PushModel
import PushSystem
import Testing

@Suite struct SystemErrorTextTests {
    @Test func `an error has the system's description`() {
        #expect(SystemErrorText.of(ENOENT) == "No such file or directory")
        // An error number that no system has is reported, too.
        #expect(SystemErrorText.of(99_999).contains("99999"))
        #expect(SystemErrorText.of(-1).contains("-1"))
    }

    @Test(arguments: [EMFILE, ENFILE])
    func `an error about missing file descriptors names the limit to raise`(errorNumber: Int32) {
        #expect(SystemErrorText.isShortage(errorNumber))
        #expect(SystemErrorText.of(errorNumber).hasSuffix(": \(OpenFileLimit.advice)"))
        #expect(!SystemErrorText.isShortage(ENOENT))
    }
}
