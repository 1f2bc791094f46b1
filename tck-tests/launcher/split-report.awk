# SPDX-License-Identifier: Apache-2.0
#
# Reads the reports of JUnit's console launcher, which are one per engine, and writes one per class, as Surefire's are, into the
# folder that the variable folder names. The names of classes begin with the variable label. Fails if no test ran.

function attribute(name) {
    return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
}
{ if (/^<testcase /) sub(/ classname="/, "&" label) }
/^<testcase / { inside = 1; class = attribute("classname"); tests[class]++; time[class] += attribute("time") }
inside { text[class] = text[class] $0 "\n" }
inside && /^<skipped/ { skipped[class]++ }
inside && /^<(failure|error)/ { failures[class]++ }
/^<\/testcase>/ { inside = 0 }
END {
    for (class in tests) {
        file = folder "/TEST-" substr(class, length(label) + 1) ".xml"
        printf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" >file
        printf "<testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" ", class, tests[class], failures[class] >file
        printf "skipped=\"%d\" time=\"%.3f\">\n%s</testsuite>\n", skipped[class], time[class], text[class] >file
        close(file)
        ran += tests[class] - skipped[class]
    }
    exit ran == 0
}
