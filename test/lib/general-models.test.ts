// The general path beside the reference with the files of real models, most of which take the fast path: the same tests as of that.
import './forced-general-path.js';
import './hugging-face-models.test.js';
